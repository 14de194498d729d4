/** One digest over everything that decides what a plan would write, so that a reviewed plan can be named later. Pure. */
import { createHash } from 'node:crypto';
import type { Manifests } from '../manifest/desired';
import type { Plan, Step } from './plan/plan';

export interface DigestedPlan {
  readonly plan: Plan;
  /** What it was made from: the profile counts, by name and content. */
  readonly manifests: Manifests;
  readonly address: string;
}

/**
 * 16 hexadecimal digits of a SHA-256. Equal exactly where the same would be written to the same service: in which file a line
 * stands, why a step is there and the ledger's serial don't count, what it is known to risk does; of a secret its reference counts,
 * never its value.
 */
export function planDigest({ plan, manifests, address }: DigestedPlan): string {
  const { profileName, profile } = manifests;
  const { organization, steps, blockers } = plan;
  // What stops an apply counts too: a plan that was reviewed as one that writes nothing stays one.
  const stops = blockers.map(({ code, address: of = '' }) => `${code} ${of}`);
  const about = canonical({ address, blockers: stops, organization, profile, profileName });
  // The last member by name, and too long for one text.
  const hash = createHash('sha256').update(`${about.slice(0, -1)},"steps":[`);
  const sorted = [...steps].sort((one, two) => (one.id < two.id ? -1 : 1));
  let text = '';
  for (const [index, step] of sorted.entries()) {
    text += `${index === 0 ? '' : ','}${canonical(written(step))}`;
    if (text.length < mostAtOnce) continue;
    hash.update(text);
    text = '';
  }
  return hash.update(`${text}]}`).digest('hex').slice(0, 16);
}

/** Characters: each call of the hash costs as much as some hundred of them. */
const mostAtOnce = 65_536;

/** Whether a secret changed is known only where its value is at hand; that it is written stands in `secrets`. */
function written(step: Step): object {
  const changes = step.changes
    .filter((change) => change.secret === undefined)
    .map(({ baseline, conflict, ...change }) => change);
  return { ...step, changes, because: undefined, reason: undefined, file: undefined };
}

/** JSON with sorted keys. Lists of texts are sets in this API, and no order of theirs means anything. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const isSet = value.every((one) => typeof one === 'string');
    return `[${(isSet ? value.toSorted() : value).map(canonical).join(',')}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const { name, lead } of sortedNames(Object.keys(members))) {
    const member = members[name];
    if (member !== undefined) text += (text === '' ? lead : `,${lead}`) + canonical(member);
  }
  return `{${text}}`;
}

type Names = readonly { readonly name: string /** `"name":`. */; readonly lead: string }[];

const known = new Map<string, Names>();

/** Steps have few shapes, and a plan has many steps. */
function sortedNames(names: readonly string[]): Names {
  const shape = JSON.stringify(names);
  const sorted =
    known.get(shape) ?? names.toSorted().map((name) => ({ name, lead: `${JSON.stringify(name)}:` }));
  if (!known.has(shape)) known.set(shape, sorted);
  return sorted;
}
