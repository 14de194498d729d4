/** The events of a course: edits, changes by hand, changes of the circumstances, and runs of the tool. */
import type { SeedObject } from '../../service';
import { unhandled } from './broken';
import type { Treatment } from './gateway';
import type {
  AddressName,
  AliasKind,
  Approval,
  ClientEntry,
  Folder,
  SecretField,
  TriggerItem,
} from './manifests';
import type { Rights } from './organization';
import type { HidableField } from './reality';

/** A change of the manifest. */
export type Edit =
  | { edit: 'client'; name: string; entry: ClientEntry | null }
  | { edit: 'rename'; from: string; to: string }
  /** If there is no value, the line is removed. */
  | { edit: 'field'; name: string; field: Exclude<keyof ClientEntry, 'secrets'>; value?: unknown }
  | { edit: 'secret'; name: string; field: SecretField; source: string | null }
  | { edit: 'attachment'; item: { oauthClient: string; project: string }; on: boolean }
  | { edit: 'trigger'; item: TriggerItem; on: boolean }
  | { edit: 'alias'; kind: AliasKind; name: string; id: string | null }
  | { edit: 'forget'; address: string; on: boolean }
  | { edit: 'approve'; line: Approval; on: boolean }
  | { edit: 'organization'; name: string }
  | { edit: 'addresses'; names: AddressName[] };

/** A call to the service's API, or an addition on its admin port, without the tool. */
export type Deed =
  | { by: 'call'; method: string; path: string; body?: unknown }
  | { by: 'seed'; seed: SeedObject };

/** The requests that count: all, writes, or creates of clients. The count begins at 1. */
export type Which = 'request' | 'write' | 'create-client';

/** A failure during an apply. */
export type Trouble =
  | { trouble: 'treat'; which: Which; nth: number; times: number; treatment: Treatment; late?: true }
  /** `done` means that the requests in flight are executed, and their answers are lost. */
  | { trouble: 'kill'; at: Which | 'save'; nth: number; done: boolean }
  | { trouble: 'interrupt'; which: Which; nth: number }
  | { trouble: 'rights'; from: number; until: number; rights: Rights }
  /** At `question`, it happens between the plan of the apply and its first call after that. */
  | { trouble: 'deed'; nth: number | 'question'; deed: Deed }
  /** Another run on the same folder begins. */
  | { trouble: 'second-run'; nth: number };

export type Happening =
  | Edit
  /** Restores the last valid manifest. */
  | { do: 'undo' }
  | { do: 'value'; source: string; value: string | null }
  | { do: 'by-hand'; deed: Deed }
  | { do: 'rights'; rights: Rights }
  /** The answers lack these fields from now on. */
  | { do: 'lacks'; fields: HidableField[] }
  /** The later runs are at another address. */
  | { do: 'address'; name: AddressName }
  | { do: 'time'; milliseconds: number }
  | { do: 'ledger'; how: 'save' | 'restore' | 'lose' };

/** One round of the tool, with all its checks. `between` happens between the review of a plan and its apply. */
export interface Run {
  readonly do: 'run';
  readonly trouble?: Trouble;
  readonly maxDeletes?: number;
  readonly destroy?: true;
  readonly between?: Happening[];
}

export type Action = { readonly tags?: readonly string[] } & (Happening | Run);

/** Every kind of event. A new kind does not compile without its line, and `model.test.ts` fails until a proposal makes it. */
export const eventKinds = {
  edit: {
    ...{ client: true, rename: true, field: true, secret: true, attachment: true, trigger: true },
    ...{ alias: true, forget: true, approve: true, organization: true, addresses: true },
  } satisfies Record<Edit['edit'], true>,
  do: {
    ...{ undo: true, value: true, 'by-hand': true, rights: true, lacks: true, address: true },
    ...{ time: true, ledger: true, run: true, reset: true, lose: true, delay: true },
    ...{ answer: true, claim: true, cut: true, garble: true },
  } satisfies Record<Exclude<(Exclude<Happening, Edit> | Run | Treatment)['do'], 'pass'>, true>,
  trouble: {
    ...{ treat: true, kill: true, interrupt: true, rights: true, deed: true, 'second-run': true },
  } satisfies Record<Trouble['trouble'], true>,
};

function toggle<Item>(list: Item[], item: Item, on: boolean): boolean {
  const at = list.findIndex((one) => JSON.stringify(one) === JSON.stringify(item));
  if (at >= 0 === on) return false;
  if (on) list.push(structuredClone(item));
  else list.splice(at, 1);
  return true;
}

/** Changes the folder. Returns false if there is nothing to change. */
export function applyEdit(folder: Folder, edit: Edit): boolean {
  const before = JSON.stringify(folder);
  switch (edit.edit) {
    case 'client':
      if (edit.entry === null) delete folder.clients[edit.name];
      else folder.clients[edit.name] = structuredClone(edit.entry);
      break;
    case 'rename': {
      const { [edit.from]: entry } = folder.clients;
      if (entry === undefined || folder.clients[edit.to] !== undefined) return false;
      delete folder.clients[edit.from];
      folder.clients[edit.to] = entry;
      for (const item of folder.attachments) if (item.oauthClient === edit.from) item.oauthClient = edit.to;
      break;
    }
    case 'field': {
      const entry = folder.clients[edit.name];
      if (entry === undefined) return false;
      if (edit.value === undefined) Reflect.deleteProperty(entry, edit.field);
      else Reflect.set(entry, edit.field, structuredClone(edit.value));
      break;
    }
    case 'secret': {
      const entry = folder.clients[edit.name];
      if (entry === undefined) return false;
      if (edit.source === null) delete entry.secrets[edit.field];
      else entry.secrets[edit.field] = edit.source;
      break;
    }
    case 'attachment':
      return toggle(folder.attachments, edit.item, edit.on);
    case 'trigger':
      return toggle(folder.triggers, edit.item, edit.on);
    case 'alias':
      if (edit.id === null) delete folder.aliases[edit.kind][edit.name];
      else folder.aliases[edit.kind][edit.name] = edit.id;
      break;
    case 'forget':
      return toggle(folder.forget, edit.address, edit.on);
    case 'approve':
      return toggle(folder.approved, edit.line, edit.on);
    case 'organization':
      folder.organization = edit.name;
      break;
    case 'addresses':
      folder.addresses = [...edit.names];
      break;
    default:
      throw unhandled(edit);
  }
  return JSON.stringify(folder) !== before;
}
