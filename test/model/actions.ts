/** Everything that can happen in a course: edits, deeds by hand, changes of the circumstances, and runs of the tool. */

import type { SeedObject } from '../../service';
import type { Edit } from './edits';
import type { Treatment } from './gateway';
import type { Rights } from './organization';
import type { RunOptions } from './outcome';

/** A call at the service's API, or an addition at its admin side, past the tool. */
export type Deed =
  | { by: 'call'; method: string; path: string; body?: unknown }
  | { by: 'seed'; seed: SeedObject };

/** Which requests: all, those that may change something, or creates of clients; counted from 1. */
export type Which = 'request' | 'write' | 'create-client';

/** What goes wrong while an apply runs. */
export type Trouble =
  | { trouble: 'treat'; which: Which; nth: number; times: number; treatment: Treatment; late?: true }
  /** The create of a client is not done, and answered with a client that is in the list. */
  | { trouble: 'listed-id'; id: string }
  /** The service keeps other attributes of a client than were sent. */
  | { trouble: 'other-values'; attributes: Record<string, unknown> }
  /** `torn`: so many bytes of the journal's last line are lost. */
  | { trouble: 'kill'; at: 'request' | 'write' | 'journal'; nth: number; done: boolean; torn?: number }
  | { trouble: 'interrupt'; which: Which; nth: number }
  | { trouble: 'rights'; from: number; until: number; rights: Rights }
  | { trouble: 'deed'; nth: number; deed: Deed }
  /** Another run on the same folder begins. */
  | { trouble: 'second-run'; nth: number }
  /** A clone of the folder, with the ledger or without, is applied to its end. */
  | { trouble: 'other-clone'; nth: number; withLedger: boolean };

/** How the plan of a run is reviewed before it is applied by its digest: it holds, or something happens in between. */
export type Review = { holds: true } | { between: Exclude<Action, { do: 'run' }> };

export type Action = { readonly tags?: readonly string[] } & (
  | Edit
  /** Back to the last manifests that were right. */
  | { do: 'undo' }
  | { do: 'secret'; source: string; value: string | null }
  | { do: 'by-hand'; deed: Deed }
  | { do: 'rights'; rights: Rights }
  | { do: 'time'; milliseconds: number }
  | { do: 'ledger'; how: 'save' | 'restore' | 'lose' }
  /** Another ledger in the same repository, above or below the folder, until it is taken away. */
  | { do: 'stray-ledger'; where: 'above' | 'below' | null }
  /** To the other branch: its manifests and its ledger; the first time it starts from these. */
  | { do: 'branch' }
  /** One round of the tool, with all its checks. */
  | { do: 'run'; trouble?: Trouble; options?: RunOptions; destroy?: true; review?: Review }
);
