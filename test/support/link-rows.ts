/** Links in the tests of the planner: what a manifest declares, what the ledger has, and what exists. */
import type { OAuthClientDocument } from '../../client/api';
import type { Ledger } from '../../reconciler/ledger/ledger';
import type { Facts } from '../../reconciler/plan/facts';
import { longAgo, smallFacts, smallLedger, smallManifest, smallNow, triggerDocument } from './small-world';

const aliases =
  'aliases: { workspaces: { app: ws-app, docs: ws-docs, net: ws-net, dns: ws-dns }, projects: { shop: prj-shop, data: prj-data } }\n';

/** A time at which an object is too young to count as missing. */
export const oneMinuteAgo = new Date(smallNow - 60_000).toISOString();

/** Returns ledger entries of triggers. The keys are pairs such as `app<net`, and the values ids. */
export function recordTriggers(
  idsByPair: Readonly<Record<string, string>>,
  createdAt = longAgo,
): Ledger['objects'] {
  const entries = Object.entries(idsByPair).map(([pair, id]) => {
    return [`RunTrigger/${pair.replace(/(\w+)<(\w+)/, 'ws-$1/ws-$2')}`, { id, createdAt }] as const;
  });
  return Object.fromEntries(entries);
}

/** A situation of a link, and the lines of its plan. */
export interface LinkRow {
  /** The manifest below its head and aliases. */
  readonly manifest?: string;
  readonly ledger?: Ledger['objects'];
  /** The existing triggers by id: `{ 'rt-1': 'app<net' }`. */
  readonly triggers?: Readonly<Record<string, string>>;
  readonly clients?: readonly OAuthClientDocument[];
  /** The workspaces whose lists cannot be read. */
  readonly hidden?: readonly string[];
  readonly destroy?: true;
  readonly plan: readonly string[];
}

export function linkFacts({
  manifest = '',
  ledger = {},
  clients = [],
  hidden = [],
  ...row
}: LinkRow): Promise<Facts> {
  const triggers = Object.entries(row.triggers ?? {}).map(([id, pair]) => triggerDocument(id, pair));
  const options = row.destroy ? { destroy: true } : {};
  return smallFacts(
    { clients, triggers, hidden },
    smallManifest(aliases + manifest),
    smallLedger(ledger),
    options,
  );
}
