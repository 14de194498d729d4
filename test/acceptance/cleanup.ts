/** Removes what a run of the suite made. It finds objects in lists, because an answer may have been lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Places } from './places';
import type { Requests } from './requests';
import { describeClient, describeTrigger, isNameOfAnyRun, type Scope } from './scope';
import type { Settings } from './settings';
import { type SeenClient, type SeenTrigger, type Sight, seeAll } from './sight';

interface Findings {
  readonly clients: readonly SeenClient[];
  readonly triggers: readonly SeenTrigger[];
}

/** Waits this number of milliseconds. A test lets the time of its service pass in place of a wait. */
export type Pause = (milliseconds: number) => Promise<unknown>;

/** The milliseconds between looks that find nothing. A create may be listed late, so the last removal of a run looks for longer. */
const pauses = {
  loopback: { usual: [20, 20], last: [20, 100, 200, 400, 800, 1000, 1000] },
  elsewhere: { usual: [3000, 3000], last: [1000, 2000, 4000, 8000, 15_000, 15_000, 15_000] },
} as const;

const maxLooks = 30;

/** Deletes the objects of this run. Returns how many the lists still show. */
export async function removeOwn(
  requests: Requests,
  settings: Settings,
  places: Places,
  scope: Scope,
  { isLast = true, pause = sleep }: { readonly isLast?: boolean; readonly pause?: Pause | undefined } = {},
): Promise<number> {
  const find = async (): Promise<Findings> => {
    const { clients, triggers } = await seeAll(requests, settings, places);
    return {
      clients: clients.filter((client) => scope.ownsClient(client)),
      triggers: triggers.filter((trigger) => scope.ownsTrigger(trigger)),
    };
  };
  const waits = pauses[settings.isLoopback ? 'loopback' : 'elsewhere'][isLast ? 'last' : 'usual'];
  let left = 0;
  let emptyLooks = 0;
  for (let looks = 1; ; looks += 1) {
    const findings = await find();
    left = findings.clients.length + findings.triggers.length;
    await remove(requests, findings);
    emptyLooks = left === 0 ? emptyLooks + 1 : 0;
    const wait = waits[Math.max(0, emptyLooks - 1)];
    if (wait === undefined || looks === maxLooks) return left;
    await pause(wait);
  }
}

/** Triggers go first, so that none outlives what a person can find by name. */
async function remove(requests: Requests, { clients, triggers }: Findings): Promise<void> {
  for (const { id } of triggers) await requests.send('DELETE', `/run-triggers/${id}`);
  for (const { id } of clients) await requests.send('DELETE', `/oauth-clients/${id}`);
}

/** An object that a killed run may have left. */
interface Leftover {
  readonly object: { readonly client: SeenClient } | { readonly trigger: SeenTrigger };
  readonly id: string;
  readonly label: string;
  /** Undefined where the service tells no time. */
  readonly ageMs: number | undefined;
  /** Present if it is not deleted. */
  readonly reasonToKeep: string | undefined;
}

const hourMs = 3_600_000;

/** Prints what it would delete, asks, and deletes it. Returns an exit code. */
export async function cleanUp(
  requests: Requests,
  settings: Settings,
  places: Places,
  scope: Scope,
  terminal: { readonly print: (line: string) => void; readonly ask: (question: string) => Promise<boolean> },
): Promise<number> {
  const { print, ask } = terminal;
  const find = async () => findLeftovers(requests, settings, await seeAll(requests, settings, places), scope);
  const leftovers = await find();
  for (const { label, ageMs, reasonToKeep } of leftovers) {
    const minutes = ageMs === undefined ? 'age unknown' : `${Math.floor(ageMs / 60_000)} min old`;
    print(`  ${reasonToKeep === undefined ? 'delete' : 'keep  '} ${label}, ${minutes}${reasonToKeep ?? ''}`);
  }
  const doomed = new Set(leftovers.flatMap(({ id, reasonToKeep }) => (reasonToKeep ? [] : [id])));
  if (doomed.size === 0) {
    print('Nothing to delete.');
    return 0;
  }
  if (!(await ask(`Delete these objects (${doomed.size}) of ${settings.organization}?`))) {
    print('Nothing was deleted.');
    return 1;
  }
  // The question may have waited long, so everything is judged again.
  const still = (await find()).filter(({ id, reasonToKeep }) => !reasonToKeep && doomed.has(id));
  const objects = still.map(({ object }) => object);
  await remove(requests, {
    clients: objects.flatMap((object) => ('client' in object ? [object.client] : [])),
    triggers: objects.flatMap((object) => ('trigger' in object ? [object.trigger] : [])),
  });
  const left = (await find()).filter(({ id }) => doomed.has(id)).length;
  print(`${doomed.size - left} deleted, ${left} left.`);
  return left === 0 ? 0 : 1;
}

async function findLeftovers(
  requests: Requests,
  { profile }: Settings,
  { clients, triggers, now }: Sight,
  scope: Scope,
): Promise<readonly Leftover[]> {
  const leftovers: Leftover[] = [];
  const judge = (createdAt: string, otherReason?: string) => {
    const created = Date.parse(createdAt);
    const ageMs = now === undefined || Number.isNaN(created) ? undefined : now - created;
    const isOld = ageMs !== undefined && ageMs >= hourMs;
    const young = isOld ? undefined : ': younger than an hour, so its run may not have ended';
    return { ageMs, reasonToKeep: otherReason ?? young };
  };
  for (const client of clients.filter(({ name }) => isNameOfAnyRun(name))) {
    const usage = profile.capabilities.affectedWorkspaces
      ? await describeUsage(requests, client.id)
      : undefined;
    const label = describeClient(client);
    leftovers.push({ object: { client }, id: client.id, label, ...judge(client.createdAt, usage) });
  }
  for (const trigger of triggers.filter((seen) => scope.ownsTrigger(seen))) {
    const { id, createdAt } = trigger;
    const label = describeTrigger(trigger);
    leftovers.push({ object: { trigger }, id, label, ...judge(createdAt) });
  }
  return leftovers;
}

/** Returns why a client is kept. Undefined only where the service says that no workspace uses it. */
async function describeUsage(requests: Requests, id: string): Promise<string | undefined> {
  const answer = await requests.read(`/oauth-clients/${id}?show_affected_workspaces=true`);
  const count = answer.at('/data/attributes/affected-workspaces-count');
  if (count === 0) return undefined;
  return typeof count === 'number'
    ? `: workspaces that use it: ${count}`
    : ': the service does not say who uses it';
}
