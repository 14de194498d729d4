/** Decides which objects are the suite's own. Everything else is somebody's, and is never touched. */
import { randomBytes } from 'node:crypto';
import { namePrefix, type Places } from './places';
import type { SeenClient, SeenTrigger, Sight } from './sight';

/** Names of clients of any run of the suite: the time of its start and a random part follow the prefix. */
const nameOfAnyRun = /^tether-acceptance-\d{8}t\d{6}-[0-9a-f]{8}-[a-z-]+$/;

/** Only its name makes a client the suite's own: one with another name, or without one, is neither recognized nor removed. */
export type OwnName = `${typeof namePrefix}${string}`;

/** Returns a number in letters, because the names above have no digits at their end. */
export function toLetters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}

export function isNameOfAnyRun(name: string): boolean {
  return nameOfAnyRun.test(name);
}

/** The members of a plan's step that say which object it is about. */
export interface PlannedStep {
  readonly action: string;
  readonly kind: string;
  readonly key: readonly string[];
  readonly reason: string;
  readonly objectId?: string;
  /** It is absent where the step sends nothing. */
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export interface LedgerContent {
  readonly objects: Readonly<Record<string, { readonly id?: string; readonly retiring?: readonly string[] }>>;
  readonly pending: Readonly<Record<string, { readonly values: Readonly<Record<string, unknown>> }>>;
}

export class Scope {
  /** The beginning of the names of this run's clients. */
  readonly prefix: OwnName;
  /** The ids of clients that the service showed under a name of this run. */
  readonly #clientIds = new Set<string>();

  constructor(
    private readonly places: Places,
    now = new Date(),
    random = randomBytes(4).toString('hex'),
  ) {
    const time = now.toISOString().replace(/\.\d+Z$/, '');
    this.prefix = `${namePrefix}${time.replace(/[-:]/g, '').toLowerCase()}-${random}-`;
  }

  ownsClient({ name }: Pick<SeenClient, 'name'>): boolean {
    return name.startsWith(this.prefix);
  }

  ownsTrigger({ workspaceId, sourceableId }: Pick<SeenTrigger, 'workspaceId' | 'sourceableId'>): boolean {
    return this.#ownsWorkspace(workspaceId) && this.#ownsWorkspace(sourceableId);
  }

  /** Remembers which clients the service shows as this run's, from a list of all. */
  note(clients: readonly SeenClient[]): void {
    for (const client of clients) {
      if (this.ownsClient(client)) this.#clientIds.add(client.id);
      // Somebody may have taken a client over by renaming it.
      else this.#clientIds.delete(client.id);
    }
  }

  /** True for a client that the service showed last under a name of this run. */
  isNoted(clientId: string): boolean {
    return this.#clientIds.has(clientId);
  }

  /** Returns why a run must not begin. An empty result allows it. */
  reasonsToRefuse({ clients, triggers }: Sight): readonly string[] {
    const foreign = triggers.filter((trigger) => !this.ownsTrigger(trigger)).map(describeTrigger);
    const handmade = clients.filter(({ name }) => !isNameOfAnyRun(name)).map(describeClient);
    const left = [
      ...clients.filter(({ name }) => isNameOfAnyRun(name)).map(describeClient),
      ...triggers.filter((trigger) => this.ownsTrigger(trigger)).map(describeTrigger),
    ];
    const say = (objects: readonly string[], what: string) =>
      objects.length === 0 ? [] : [`${listSome(objects)}: ${what}`];
    return [
      ...say(
        foreign,
        "one of the three workspaces is an end, and the other end is somebody's. Remove the trigger, or give the suite other workspaces.",
      ),
      ...say(
        handmade,
        `the name begins with ${namePrefix}, and no run of the suite chose it. Rename or delete it yourself: make acceptance-clean leaves it alone.`,
      ),
      ...say(
        left,
        'A run is under way or was killed: wait for it, or an hour after it run make acceptance-clean, which deletes this.',
      ),
    ];
  }

  /** Returns a sentence for each object of a ledger that is not this run's. */
  foreignInLedger({ objects, pending }: LedgerContent): readonly string[] {
    const recorded = Object.entries(objects).flatMap(([text, { id, retiring = [] }]) => {
      const [kind = '', ...ends] = text.split('/');
      const clientIds = kind === 'OAuthClient' ? [id ?? '', ...retiring] : [];
      const isOwn =
        clientIds.every((clientId) => this.#clientIds.has(clientId)) && this.#ownsLink(kind, ends);
      return isOwn ? [] : [`The ledger has ${text}, which is not this run's.`];
    });
    const attempted = Object.entries(pending).flatMap(([text, { values }]) => {
      const isOwn = this.ownsClient({ name: String(values.name) });
      return isOwn ? [] : [`The ledger has a pending ${text}, which is not this run's.`];
    });
    return [...recorded, ...attempted];
  }

  /** Returns a sentence for each step that would touch an object that is not this run's. */
  foreignInPlan(steps: readonly PlannedStep[]): readonly string[] {
    return steps.flatMap(({ action, kind, key, objectId, inputs = {} }) => {
      const ends = key.slice(1);
      const isClient = kind === 'OAuthClient';
      const isOwnObject = !isClient || objectId === undefined || this.#clientIds.has(objectId);
      const isNamed = isClient && (action === 'create' || 'name' in inputs);
      const isOwnName = !isNamed || this.ownsClient({ name: String(inputs.name) });
      if (isOwnObject && isOwnName && this.#ownsLink(kind, ends)) return [];
      return [`The plan would ${action} ${key.join('/')}, which is not this run's.`];
    });
  }

  /** A client that does not exist yet stands in the key of its attachments by its address. */
  #ownsLink(kind: string, ends: readonly string[]): boolean {
    if (kind === 'OAuthClient') return true;
    if (kind === 'RunTrigger') return ends.length === 2 && ends.every((id) => this.#ownsWorkspace(id));
    const client = ends.slice(0, -1).join('/');
    const isOwnClient = this.#clientIds.has(client) || client.startsWith('OAuthClient/');
    return kind === 'ProjectAttachment' && isOwnClient && this.places.projectIds.includes(ends.at(-1) ?? '');
  }

  #ownsWorkspace(id: string): boolean {
    return this.places.workspaceIds.includes(id);
  }
}

export function describeClient({ id, name }: SeenClient): string {
  return `OAuth client ${name} (${id})`;
}

/** Names the target first, as the plans do. */
export function describeTrigger({ id, workspaceId, sourceableId }: SeenTrigger): string {
  return `run trigger ${workspaceId} ← ${sourceableId} (${id})`;
}

/** A sentence names at most so many objects. */
const maxNamed = 5;

function listSome(objects: readonly string[]): string {
  const more = objects.length - maxNamed;
  return objects.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns the losses of a plan: deletes, and managed objects that are missing. */
export function countLosses(steps: readonly PlannedStep[]): number {
  return steps.filter(({ action, reason }) => action === 'delete' || /gone$/.test(reason)).length;
}
