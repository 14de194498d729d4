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

/** What goes wrong while an apply runs. Requests are counted from 1, writes apart. */
export type Trouble =
  | {
      trouble: 'treat';
      what: 'request' | 'write' | 'create-client';
      nth: number;
      times: number;
      treatment: Treatment;
    }
  /** The create of a client is not done and answered with this client, which is in the list. */
  | { trouble: 'listed-id'; id: string }
  /** The create of a client keeps other values than were sent. */
  | { trouble: 'other-values'; attributes: Record<string, unknown> }
  | { trouble: 'kill'; at: 'request' | 'write' | 'journal'; nth: number; done: boolean; torn?: number }
  | { trouble: 'interrupt'; at: 'request' | 'write'; nth: number }
  | { trouble: 'rights'; at: number; rights: Rights; until: number }
  | { trouble: 'deed'; at: number; deed: Deed }
  /** Another run on the same folder begins while this one is under way. */
  | { trouble: 'second-run'; at: number }
  /** Another clone of the folder, with this ledger or none, is applied to its end at that request. */
  | { trouble: 'other-clone'; at: number; ledger: boolean };

export type Action = { readonly tags?: readonly string[] } & (
  | Edit
  | { do: 'secret'; source: string; value: string | null }
  | { do: 'by-hand'; deed: Deed }
  | { do: 'rights'; rights: Rights }
  | { do: 'time'; milliseconds: number }
  | { do: 'ledger'; how: 'save' | 'restore' | 'lose' }
  /** One round of the tool, with all its checks. */
  | { do: 'run'; trouble?: Trouble; options?: RunOptions; destroy?: true }
);
