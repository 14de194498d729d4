/** What the oracle says of a plan: steps with what they do to the world, and what stands in the way. */
import type { Desired } from './desired';
import type { Folder } from './manifests';
import type { ProfileName, Rights } from './organization';
import type { LedgerState } from './outcome';
import type { RealClient, Reality, View } from './reality';

/** Everything that a plan follows from. */
export interface Situation {
  readonly desired: Desired;
  /** By whose aliases addresses are read. */
  readonly spoken: Folder;
  readonly ledger: LedgerState;
  readonly view: View;
  /** What there is, whatever can be seen of it: decides how an apply ends, never what a plan says. */
  readonly reality: Reality;
  readonly profile: ProfileName;
  readonly rights: Rights;
  /** The value of a secret's source; undefined where it is not at hand. */
  readonly secretOf: (source: string) => string | undefined;
  readonly writeSecrets: boolean;
  readonly destroy: boolean;
}

/** A client that a create makes has this id until the service gives it one. */
export const newId = (name: string): string => `new:${name}`;

/** The world while the effects of steps are played through. */
export interface Draft {
  readonly clients: Map<string, RealClient>;
  /** By client, what each write-only field was last given in this plan, as its value. */
  readonly written: Map<string, Record<string, string>>;
  triggers: { readonly id: string; readonly target: string; readonly source: string }[];
}

export interface ExpectedStep {
  readonly action: string;
  /** `OAuthClient/<name>`, `ProjectAttachment/<name or id>/<project id>`, `RunTrigger/<target id>/<source id>`. */
  readonly subject: string;
  /** The object that the step acts on, where there is one. */
  readonly objectId?: string;
  /** Counts against the limit of deletes. */
  readonly deletes?: true;
  /** Not ours: only an exact set deletes it. */
  readonly unmanaged?: true;
  /** Write-only fields whose value must be at hand before the first write. */
  readonly needsSecrets?: readonly string[];
  readonly effect?: (draft: Draft) => void;
}

export interface Expected {
  readonly steps: ExpectedStep[];
  /** Subjects that the plan leaves alone and says why. */
  readonly problems: Set<string>;
  readonly unknown: Set<string>;
  /** `approval OAuthClient/x`, `protected OAuthClient/x`, `too-many-deletes`, `too-many-missing`. */
  readonly blockers: Set<string>;
  /** Those that the sentences of design.md leave open here: the plan may have them. */
  readonly maybeBlockers: Set<string>;
  /** Steps that the service will refuse, by subject. */
  readonly refused: Set<string>;
  /** Subjects whose plan is sure and whose end is not: what is seen is not what is. */
  readonly shaky: Set<string>;
  /** Keys of the ledger that a problem of another subject leaves as they are. */
  readonly leftAlone: Set<string>;
  /** Subjects of which nothing is predicted, with the reason. */
  readonly lenient: Map<string, string>;
}

/** One line for a step; an attachment that exists is its pair of ids, whatever its client is called. */
export const labelOf = ({ action, subject, objectId }: ExpectedStep): string => {
  if (objectId === undefined) return `${action} ${subject}`;
  return subject.startsWith('ProjectAttachment/')
    ? `${action} ${objectId}`
    : `${action} ${subject} ${objectId}`;
};
