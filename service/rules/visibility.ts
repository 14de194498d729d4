// Reads that lag behind writes: what was deleted stays visible, what was created stays out of lists, for a while.

import type { Behaviours } from '../behaviours';
import type { Clock } from '../clock';
import type { OAuthClientRecord, RunTriggerRecord } from '../store/records';
import type { Store } from '../store/store';

type LaggingTable = 'oauthClients' | 'runTriggers';
type Lagging = { oauthClients: OAuthClientRecord; runTriggers: RunTriggerRecord };

/** What readers see of the records that lag. Writers look into the store instead, so a second delete finds nothing. */
export class Visibility {
  readonly #deleted = { oauthClients: new Map<string, Fading>(), runTriggers: new Map<string, Fading>() };

  constructor(
    private readonly store: Store,
    private readonly behaviours: Behaviours,
    private readonly clock: Clock,
  ) {}

  /** Lets readers see a record that was just removed for as long as the switch says. */
  fade<Table extends LaggingTable>(table: Table, record: Lagging[Table]): void {
    const milliseconds = this.behaviours['delete-visible-ms'];
    if (milliseconds > 0)
      this.#deleted[table].set(record.id, { record, until: this.clock.now() + milliseconds });
  }

  /** The client a reader sees under that id. A trigger's page does not lag: no service is known to do that. */
  client(id: string): OAuthClientRecord | undefined {
    return (
      this.store.read('oauthClients', id) ?? this.#fading('oauthClients').find((record) => record.id === id)
    );
  }

  /** The clients a list of that organization shows. */
  clientsOf(organization: string): OAuthClientRecord[] {
    const fading = this.#fading('oauthClients').filter((record) => record.organization === organization);
    return [...this.store.list('oauthClients', 'organization', organization).filter(this.#shown), ...fading];
  }

  /** The triggers a list shows whose `member` is that workspace. */
  triggersOf(member: 'workspaceId' | 'sourceableId', workspaceId: string): RunTriggerRecord[] {
    const fading = this.#fading('runTriggers').filter((record) => record[member] === workspaceId);
    return [...this.store.list('runTriggers', member, workspaceId).filter(this.#shown), ...fading];
  }

  /** Forgets what was deleted: for a store whose content was replaced. */
  clear(): void {
    this.#deleted.oauthClients.clear();
    this.#deleted.runTriggers.clear();
  }

  readonly #shown = (record: { createdAt: string }): boolean => {
    const hidden = this.behaviours['create-hidden-ms'];
    return hidden === 0 || Date.parse(record.createdAt) + hidden <= this.clock.now();
  };

  #fading<Table extends LaggingTable>(table: Table): Lagging[Table][] {
    const entries = this.#deleted[table];
    for (const [id, { until }] of entries) {
      if (until <= this.clock.now() || this.store.read(table, id)) entries.delete(id);
    }
    return [...entries.values()].map(({ record }) => record as Lagging[Table]);
  }
}

interface Fading {
  readonly record: OAuthClientRecord | RunTriggerRecord;
  readonly until: number;
}
