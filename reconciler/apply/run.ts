/** What the steps of one apply share: the ledger as it grows, ids that are known, and secrets. */
import type { Api } from '../../client/api';
import type { StepwiseApi } from '../../client/client';
import { OperationalError } from '../../client/errors';
import {
  type DesiredValues,
  definitionOf,
  type FieldValue,
  type FieldValues,
  type Found,
  isReference,
  type Key,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import { clientsOf } from '../../resources/oauth-client-calls';
import type { ResolvedSecrets } from '../../resources/secrets';
import { digestOf } from '../ledger/digest';
import { isTime } from '../ledger/document';
import { type Ledger, type LedgerObject, nextSerial, type Pending } from '../ledger/ledger';
import type { LedgerStore } from '../ledger/store';
import { keyText, parseKey, type Step } from '../plan/plan';

/** The object is not as the plan saw it. Nothing was written to it. */
export class Stale extends OperationalError {}

/** Nothing more may be started, because it could not be recorded. */
export class LedgerNotSaved extends OperationalError {}

/** For links: clients are saved after each of their steps. */
const saveEveryMs = 1000;

/** The ledger during an apply, saved whole. */
export class RunLedger {
  readonly objects: Map<string, LedgerObject>;
  readonly pending: Map<string, Pending>;
  private saved: Ledger;
  private isFirst: boolean;
  private isDirty = false;
  private savedAt: number;
  private last: Promise<void> = Promise.resolve();
  private failure: LedgerNotSaved | null = null;

  constructor(
    private readonly store: LedgerStore,
    before: Ledger,
    private readonly now: () => number,
  ) {
    this.objects = new Map(Object.entries(before.objects));
    this.pending = new Map(Object.entries(before.pending));
    this.saved = before;
    this.isFirst = before.serial === 0;
    this.savedAt = now();
  }

  set(key: string, object: LedgerObject | null): void {
    const { createdAt, ...rest } = object ?? {};
    if (object === null) this.objects.delete(key);
    // What the service answers may be no time, and a ledger with it could not be read again.
    else this.objects.set(key, createdAt !== undefined && isTime(createdAt) ? object : rest);
    this.isDirty = true;
  }

  setPending(address: string, pending: Pending | null): void {
    if (pending === null && !this.pending.has(address)) return;
    if (pending === null) this.pending.delete(address);
    else this.pending.set(address, pending);
    this.isDirty = true;
  }

  /** Resolves when all changes until now are saved. Rejects with `LedgerNotSaved`, as does every later save. */
  save(): Promise<void> {
    this.last = this.last.then(() => this.write());
    return this.last;
  }

  /** Saves if the last save is a while ago. */
  async saveSoon(): Promise<void> {
    if (this.now() - this.savedAt >= saveEveryMs) await this.save();
  }

  private async write(): Promise<void> {
    if (this.failure !== null) throw this.failure;
    if (!this.isDirty) return;
    this.isDirty = false;
    const ledger = {
      ...nextSerial(this.saved),
      objects: Object.fromEntries(this.objects),
      pending: Object.fromEntries(this.pending),
    };
    try {
      await this.store.save(ledger, this.isFirst ? null : this.saved);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.failure = new LedgerNotSaved(
        `The ledger ${this.store.place} could not be saved: ${why}. Nothing more was started. What was done last may be missing in it: run the same command again, and it finds what exists`,
      );
      throw this.failure;
    }
    this.saved = ledger;
    this.isFirst = false;
    this.savedAt = this.now();
  }

  /** Removes an id of an address: a predecessor takes the place of a recorded one. Its links go with it. */
  removeClient(address: string, id: string, registry: Registry): void {
    const object = this.objects.get(address);
    const { retiring = [], ...recorded } = object ?? {};
    const left = retiring.filter((one) => one !== id);
    if (object !== undefined && object.id !== id) this.set(address, { ...recorded, ...retiringOf(left) });
    else if (left[0] === undefined) this.set(address, null);
    else this.set(address, { id: left[0], values: {}, digests: {}, ...retiringOf(left.slice(1)) });
    this.removeLinksOf(id, registry);
  }

  removeLinksOf(id: string, registry: Registry): void {
    for (const text of this.objects.keys()) {
      const [kind, ...parts] = parseKey(text);
      if (definitionOf(kind, registry).pair.length > 0 && parts.includes(id)) this.set(text, null);
    }
  }
}

export function retiringOf(ids: readonly string[]): Pick<LedgerObject, 'retiring'> {
  return ids.length === 0 ? {} : { retiring: ids };
}

export interface RunOptions {
  readonly api: Api | StepwiseApi;
  readonly organization: string;
  readonly ledger: RunLedger;
  readonly secrets: ResolvedSecrets;
  readonly registry: Registry;
  /** Ids that the plan saw: an answer that names one of them is not about a new object. */
  readonly seen: Iterable<string>;
  note(message: string): void;
}

export class Run {
  /** Ids that existed before the apply, or were made by it. */
  readonly known: Set<string>;
  private clients: Promise<readonly Found[]> | undefined;

  constructor(readonly options: RunOptions) {
    this.known = new Set(options.seen);
  }

  get ledger(): RunLedger {
    return this.options.ledger;
  }

  definition({ kind }: Step): ResourceDefinition {
    return definitionOf(kind, this.options.registry);
  }

  /** An interruption ends the calls of a step that has not written yet. */
  apiForStep(): Api {
    const { api } = this.options;
    return 'forStep' in api ? api.forStep() : api;
  }

  /** The clients that exist right before the first one is created. Read once. */
  clientsBefore(definition: ResourceDefinition, api: Api): Promise<readonly Found[]> {
    const { organization } = this.options;
    const read = async () => {
      const items = await clientsOf(organization).read(api);
      const found = definition.find(items, { organization });
      for (const { id } of found) this.known.add(id);
      return found;
    };
    this.clients ??= read().catch((error: unknown) => {
      this.clients = undefined;
      throw error;
    });
    return this.clients;
  }

  /** With the ids of the clients that it refers to, which exist by now. */
  resolve(values: DesiredValues): FieldValues {
    const resolved: Record<string, FieldValue> = {};
    for (const [field, value] of Object.entries(values)) {
      resolved[field] = isReference(value) ? this.idAt(value.address) : value;
    }
    return resolved;
  }

  private idAt(address: string): string {
    const id = this.ledger.objects.get(address)?.id;
    if (id === undefined) throw new Error(`${address} has no id yet`);
    return id;
  }

  /** What a call about this step names: the organization, and the ends of a link. */
  keyOf(step: Step): Key {
    const { organization } = this.options;
    const { pair } = this.definition(step);
    const [, ...parts] = step.key;
    const ends = pair.map((field, index) => {
      const end = step.inputs[field];
      const part = parts[index] ?? '';
      // The key holds an address, with a slash, only for a client that this plan makes.
      return [field, isReference(end) && part.includes('/') ? this.idAt(end.address) : part] as const;
    });
    return { organization, ...Object.fromEntries(ends) };
  }

  /** The key of its entry in the ledger. */
  entryOf(step: Step): string {
    const { pair, kind } = this.definition(step);
    if (pair.length === 0) return step.address;
    const key = this.keyOf(step);
    return keyText([kind, ...pair.map((field) => key[field] ?? '')]);
  }

  /** The values of the secrets that the step writes. */
  secretsOf({ address, secrets }: Step): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.keys(secrets).flatMap((field) => {
        const value = this.options.secrets.value(address, field);
        return value === undefined ? [] : [[field, value] as const];
      }),
    );
  }

  async digestsOf(step: Step): Promise<Readonly<Record<string, string>>> {
    const digests: Record<string, string> = {};
    for (const [field, value] of Object.entries(this.secretsOf(step))) digests[field] = await digestOf(value);
    return digests;
  }
}
