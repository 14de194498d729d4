/** A manifest that somebody edits at random, as data: what it wants, and how it reads. Seeded, so that every run is the same. */

/** Chance that gives the same again for the same seed. */
export class Dice {
  constructor(private state: number) {}

  /** From 0 up to `count`. */
  below(count: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  chance(probability: number): boolean {
    return this.below(1000) < probability * 1000;
  }

  /** One of them; undefined when there is none. */
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.below(items.length)];
  }

  some<Item>(items: readonly Item[], probability = 0.5): Item[] {
    return items.filter(() => this.chance(probability));
  }
}

export const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d'];
export const projects = ['prj-1', 'prj-2', 'prj-3'];
export const agentPools = ['apool-x', 'apool-y'];
const names = ['one', 'two', 'three'];

/** Fields of an entry as the manifest writes them. */
export type WantedClient = Record<string, string | boolean | null | string[] | { fromEnv: string }>;
export interface WantedAttachment {
  /** A name in this manifest, or an id. */
  readonly oauthClient: string;
  readonly project: string;
}
export interface WantedTriggers {
  readonly form: 'single' | 'sources' | 'targets';
  readonly fixed: string;
  readonly others: readonly string[];
}

/** Ids that an edit may name, besides what the manifest has itself. */
export interface Known {
  /** Clients that no ledger holds. */
  readonly foreign: readonly string[];
  /** Clients of this manifest's ledger. */
  readonly own: readonly string[];
}

export class RandomOrganization {
  clients: Record<string, WantedClient> = {};
  attachments: WantedAttachment[] = [];
  triggers: WantedTriggers[] = [];
  moved: { from: string; to: string }[] = [];
  forget: string[] = [];

  constructor(private readonly dice: Dice) {}

  /** The manifest as JSON, which is YAML too. */
  text(): string {
    return JSON.stringify({
      apiVersion: 'tether/v1',
      organization: 'acme',
      aliases: { workspaces: { alias: 'ws-a' }, projects: { alias: 'prj-1' } },
      oauthClients: this.clients,
      projectAttachments: this.attachments,
      runTriggers: this.triggers.map(({ form, fixed, others }) =>
        form === 'targets'
          ? { source: fixed, targets: others }
          : { target: fixed, ...(form === 'single' ? { source: others[0] } : { sources: others }) },
      ),
      moved: this.moved,
      forget: this.forget,
    });
  }

  /** Does one edit and says which; some make no valid manifest, and are to be taken back. */
  edit(known: Known): string {
    const edits = [
      () => this.addClient(known),
      () => this.addClient(known),
      () => this.changeClient(),
      () => this.changeClient(),
      () => this.removeClient(),
      () => this.renameClient(),
      () => this.changeLinks(known),
      () => this.changeLinks(known),
      () => this.changeTriggers(),
      () => this.changeTriggers(),
    ];
    return edits[this.dice.below(edits.length)]?.() ?? 'nothing';
  }

  /** Takes an entry out with all that refers to it, and every move, for one may lead there over others. */
  drop(name: string): void {
    delete this.clients[name];
    this.attachments = this.attachments.filter((one) => one.oauthClient !== name);
    this.moved = [];
  }

  /** Takes out the lines that have nothing left to do. */
  tidy(): void {
    this.moved = [];
    this.forget = [];
  }

  save(): () => void {
    const { clients, attachments, triggers, moved, forget } = structuredClone({ ...this, dice: null });
    return () => Object.assign(this, { clients, attachments, triggers, moved, forget });
  }

  private fields(): WantedClient {
    const { dice } = this;
    const optional: [string, () => WantedClient[string] | undefined][] = [
      ['name', () => dice.pick(['N1', 'N2', null])],
      ['key', () => dice.pick(['k1', 'k2'])],
      ['secret', () => ({ fromEnv: dice.pick(['GIT_TOKEN', 'GIT_SECRET']) ?? '' })],
      ['oauthTokenString', () => ({ fromEnv: dice.pick(['GIT_TOKEN', 'GIT_SECRET']) ?? '' })],
      ['organizationScoped', () => dice.chance(0.5)],
      ['agentPool', () => dice.pick([...agentPools, null])],
      ['projects', () => dice.some(projects)],
      ['allowDuplicate', () => true],
    ];
    const fields: WantedClient = {
      serviceProvider: dice.pick(['provider_a', 'provider_b_hosted']) ?? '',
      httpUrl: `https://${dice.pick(['h1', 'h2'])}.example.com`,
      apiUrl: 'https://h1.example.com/api',
    };
    for (const [name, value] of optional) {
      const chosen = dice.chance(0.5) ? value() : undefined;
      if (chosen !== undefined) fields[name] = chosen;
    }
    return fields;
  }

  private addClient({ foreign }: Known): string {
    const name = this.dice.pick(names.filter((one) => !(one in this.clients)));
    if (name === undefined) return 'nothing';
    const id = this.dice.chance(0.3) ? this.dice.pick(foreign) : undefined;
    this.clients[name] = { ...this.fields(), ...(id === undefined ? {} : { id }) };
    return `add ${name}${id === undefined ? '' : ` with ${id}`}`;
  }

  private changeClient(): string {
    const name = this.dice.pick(Object.keys(this.clients)) ?? '';
    const client = this.clients[name];
    const fresh = this.fields();
    const field = this.dice.pick(Object.keys({ ...client, ...fresh })) ?? '';
    if (client === undefined || field === 'id') return 'nothing';
    const value = fresh[field];
    if (value === undefined) delete client[field];
    else client[field] = value;
    return `${name}.${field} ${JSON.stringify(value)}`;
  }

  private removeClient(): string {
    const name = this.dice.pick(Object.keys(this.clients));
    if (name === undefined) return 'nothing';
    this.drop(name);
    if (!this.dice.chance(0.3)) return `remove ${name}`;
    this.forget.push(`OAuthClient/${name}`);
    return `forget ${name}`;
  }

  private renameClient(): string {
    const from = this.dice.pick(Object.keys(this.clients)) ?? '';
    const to = this.dice.pick(names.filter((one) => !(one in this.clients)));
    const client = this.clients[from];
    if (client === undefined || to === undefined) return 'nothing';
    delete this.clients[from];
    this.clients[to] = this.dice.chance(0.5)
      ? client
      : { ...client, httpUrl: 'https://moved.example.com', name: 'moved' };
    this.attachments = this.attachments.map((one) => ({
      ...one,
      oauthClient: one.oauthClient === from ? to : one.oauthClient,
    }));
    if (this.dice.chance(0.7)) this.moved.push({ from: `OAuthClient/${from}`, to: `OAuthClient/${to}` });
    return `rename ${from} ${to}`;
  }

  private changeLinks({ foreign, own }: Known): string {
    if (this.dice.chance(0.3)) {
      this.attachments.splice(this.dice.below(this.attachments.length), 1);
      return 'remove an attachment';
    }
    const client = this.dice.pick([...Object.keys(this.clients), ...foreign, ...own]);
    const project = this.dice.pick(projects);
    if (client === undefined || project === undefined) return 'nothing';
    this.attachments.push({ oauthClient: client, project });
    return `attach ${client} ${project}`;
  }

  private changeTriggers(): string {
    if (this.dice.chance(0.3)) {
      const [removed] = this.triggers.splice(this.dice.below(this.triggers.length), 1);
      if (removed?.form !== 'single' || this.dice.chance(0.5)) return 'remove triggers';
      this.forget.push(`RunTrigger/${removed.fixed}/${removed.others[0]}`);
      return 'forget a trigger';
    }
    const form = this.dice.pick(['single', 'sources', 'targets'] as const) ?? 'single';
    const fixed = this.dice.pick(workspaces) ?? '';
    const rest = workspaces.filter((one) => one !== fixed);
    const others = form === 'single' ? [this.dice.pick(rest) ?? ''] : this.dice.some(rest, 0.4);
    this.triggers.push({ form, fixed, others });
    return `${form} ${fixed} ${others.join(' ')}`;
  }
}
