/** Makes the plans of folders, and the results of a command that leaves it at that. */
import type { ReadApi } from '../client/api';
import { heldIds } from '../reconciler/ledger/ledger';
import { type MadePlan, makePlan } from '../reconciler/make-plan';
import {
  changedObjects,
  heldClients,
  keyText,
  type Plan,
  parseKey,
  sharedName,
  shownAction,
  toEnds,
} from '../reconciler/plan/plan';
import { planReport, planSummary } from '../reconciler/render/plan';
import type { Report } from '../reconciler/render/report';
import { liftLimit, limitSharedLosses, type SharedFindings } from '../reconciler/shared-limit';
import { identify } from '../resources/diff';
import { groupBy } from '../resources/groups';
import { type DesiredValues, isLink } from '../resources/kind';
import { toAddress } from '../resources/names';
import { oauthClient } from '../resources/oauth-client';
import { findDefinition } from '../resources/registry';
import type { Call } from './call';
import { numberVariable } from './flags';
import { type OpenFolder, withLock } from './open-folder';
import { type FolderResult, firstReason, toReasons } from './results';
import {
  currentValues,
  type FolderStage,
  forEachFolder,
  refuseShared,
  type Stage,
  toResults,
} from './run-folders';

/** A plan, and the result of a command that leaves it at that. */
export interface PlannedFolder<Client extends ReadApi> extends MadePlan {
  readonly path: string;
  readonly folder: OpenFolder<Client>;
  readonly result: FolderResult & { readonly report: Report };
}

/** Returns the limit on losses that the user gave. A wrong variable is an error also beside the flag. */
export function readMaxDeletes(call: Call): number | undefined {
  const fromVariable = numberVariable(call, 'TETHER_MAX_DELETES', 'whole');
  return call.flags.maxDeletes ?? fromVariable;
}

/**
 * Plans each folder, and compares the plans of several. For these, `maxDeletes` is the limit of all together. `check` ends a folder that cannot
 * be applied.
 */
export async function planFolders<Client extends ReadApi, Ready extends PlannedFolder<Client>>(
  call: Call,
  folders: readonly FolderStage<OpenFolder<Client>>[],
  maxDeletes: number | undefined,
  check: (planned: PlannedFolder<Client>) => Stage<Ready>,
) {
  const isSeveral = folders.length > 1;
  const plannedFolders = await forEachFolder(call, folders, async (folder, path) => {
    return { value: await planFolder(call, path, folder, isSeveral, maxDeletes) };
  });
  const plans = currentValues(plannedFolders).map(({ plan }) => plan);
  const changed = new Set(plans.flatMap((plan) => changedObjects(plan)));
  const deleted = new Set(plans.flatMap((plan) => changedObjects(plan, 'delete')));
  // A folder that has a client loses it, even without a step, by what another one does.
  const readShared = ({ plan, folder }: Planned) => [
    ...heldClients(plan, folder.ledger, folder.manifests.entries).filter((name) => changed.has(name)),
    ...[...matchingClients(plan), ...heldLinks({ plan, folder })].filter((name) => deleted.has(name)),
    ...changedObjects(plan),
    ...newClients({ plan, folder }).keys(),
  ];
  // A blocked folder counts too, in `apply` as in `plan`.
  const separateFolders = await refuseShared(call, plannedFolders, readShared, describeShared(call));
  const ready = await forEachFolder(call, separateFolders, async (folder) => check(folder));
  const blocked = currentValues(separateFolders).filter(({ plan }) => plan.blockers.length > 0);
  const findings = isSeveral
    ? // `check` ends a blocked folder in `apply`, and not in `plan`.
      limitSharedLosses([...new Set([...currentValues(ready), ...blocked])], maxDeletes)
    : { blockers: [], notes: [] };
  const results = toResults(ready, ({ plan, result }) => holdBack(result, plan, findings));
  return { ready, results, findings };
}

/** Names the clients that a plan makes, or that an open create may make, by what identifies them. The values are their addresses. */
function newClients({ plan, folder }: Planned): ReadonlyMap<string, string> {
  const { steps, problems } = plan;
  const planned = steps.flatMap((step) => ('existing' in step ? step : []));
  const open = problems.flatMap(({ rule, address }) => {
    const values = rule === 'create-pending' ? folder.ledger.pending[address]?.values : undefined;
    return values === undefined ? [] : { address, inputs: values };
  });
  const toName = (inputs: DesiredValues) => sharedName(plan, identify(oauthClient, inputs));
  return new Map([...planned, ...open].map((client) => [toName(client.inputs), client.address] as const));
}

/** Names the existing clients that an entry may mean. */
function matchingClients(plan: Plan): readonly string[] {
  const ids = plan.problems.flatMap(({ matches = [] }) => matches);
  return ids.map((id) => sharedName(plan, toAddress(oauthClient, id)));
}

/** Names the recorded links that a plan does not forget, and the clients of other folders that links name by their ids. */
function heldLinks({ plan, folder: { ledger, manifests } }: Planned): readonly string[] {
  const forgets = plan.steps.filter(({ action }) => action === 'forget');
  // The links of a forgotten client have no steps of their own.
  const forgotten = new Set(forgets.flatMap(({ key, objectId }) => [keyText(key), objectId]));
  const recorded = Object.keys(ledger.objects).filter((key) => {
    const [kind, ...ends] = parseKey(key);
    return isLink(kind) && ![key, ...ends].some((name) => forgotten.has(name));
  });
  const recordedEnds = recorded.map(parseKey).map((key) => {
    const definition = findDefinition(key[0]);
    return { definition, ends: toEnds(definition, key) };
  });
  const declaredEnds = manifests.entries.map(({ kind, inputs }) => {
    return { definition: findDefinition(kind), ends: inputs };
  });
  const clientIds = [...recordedEnds, ...declaredEnds].map(
    ({ definition: { shownBy = '' }, ends }) => ends[shownBy],
  );
  const ownIds = heldIds(Object.values(ledger.objects));
  const foreignIds = clientIds.filter((id) => typeof id === 'string' && !ownIds.has(id));
  const keys = [...recorded, ...foreignIds.map((id) => toAddress(oauthClient, String(id)))];
  return keys.map((key) => sharedName(plan, key));
}

type Planned = Pick<PlannedFolder<ReadApi>, 'plan' | 'folder'>;

function describeShared({ command }: Call) {
  return (name: string, path: string, here: Planned, there: Planned): string => {
    const [address, other] = [here, there].map((planned) => newClients(planned).get(name));
    if (address !== undefined) {
      return `this plan and that of ${path} would both make a client with the same name, provider and URLs, ${address} here and ${other} there: declare it in one of them, or run ${command} for one folder after the other, where the second one names the first client under \`allowDuplicate\``;
    }
    const key = name.split(' ').at(-1) ?? '';
    const [kind, id] = parseKey(key);
    const plans = `this plan and that of ${path} both`;
    const pair = [here, there];
    if (!pair.every(({ plan }) => changedObjects(plan).includes(name))) {
      if (isLink(kind))
        return `${plans} decide about ${key}, and one of them deletes it: keep its line in one of them, and write \`forget: [${key}]\` in the other`;
      if (pair.some((planned) => heldLinks(planned).includes(name)))
        return `one of this plan and that of ${path} deletes ${key}, and links of the other one name it by its id: remove their lines and apply that folder first, or keep the client`;
      if (pair.some(({ plan }) => matchingClients(plan).includes(name)))
        return `one of this plan and that of ${path} deletes ${key}, and an entry of the other one may mean it: to manage it by that entry, write \`forget: [${key}]\` in the one and \`id: ${id}\` in the entry; to create another client, name it under \`allowDuplicate\` of the entry`;
    }
    return isLink(kind)
      ? `${plans} change ${key}: declare it in one of them, or run ${command} for one folder after the other`
      : `${plans} manage ${key}, and one of them changes it: declare it in one of them with \`id: ${id}\`, and write \`forget: [${key}]\` in the other, in place of its entry and attachments`;
  };
}

/** Returns the result of a folder whose plan may have to wait for a blocker of all folders. */
function holdBack(result: FolderResult, plan: Plan, findings: SharedFindings): FolderResult {
  const { steps, losses, blockers } = plan;
  if (findings.blockers.length === 0 || steps.length === 0) return result;
  if (blockers.length > 0) return { ...result, outcome: 'blocked' };
  const sum = `the folders lose too much together (${losses.count} here), see below`;
  return { ...result, outcome: 'held', reason: [sum, result.reason].filter(Boolean).join('; ') };
}

async function planFolder<Client extends ReadApi>(
  call: Call,
  path: string,
  folder: OpenFolder<Client>,
  isSeveral: boolean,
  maxDeletes: number | undefined,
): Promise<PlannedFolder<Client>> {
  const { env, signal } = call.io;
  const destroy = call.command === 'destroy';
  const options = { ...folder, env, signal, destroy, ...(isSeveral ? {} : { maxDeletes }) };
  const madePlan = await call.untilInterrupted('Reading', () => makePlan(options));
  const plan = withLock(isSeveral ? liftLimit(madePlan.plan, maxDeletes) : madePlan.plan, folder);
  const { digest } = madePlan;
  const { problems, unknown, blockers } = plan;
  const byAction = [...groupBy(plan.steps, shownAction)];
  const counts = Object.fromEntries(byAction.map(([action, { length }]) => [action, length]));
  const isIncomplete = unknown.length + problems.length > 0;
  const blockedOutcome = isIncomplete ? 'blocked' : 'refusable';
  const openOutcome = isIncomplete ? 'incomplete' : plan.steps.length > 0 ? 'planned' : 'done';
  const result = {
    outcome: blockers.length > 0 ? blockedOutcome : openOutcome,
    summary: planSummary(plan),
    reason: firstReason([...toReasons(blockers), ...problems, ...unknown]),
    lock: folder.lock,
    document: { counts, digest, plan },
    report: planReport(plan, digest, folder.naming),
  } as const;
  return { ...madePlan, plan, path, folder, result };
}
