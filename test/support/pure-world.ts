/** A service and a ledger as plain values: what a plan means, without any call. */
import type { OAuthClientDocument, RunTriggerDocument } from '../../client/api';
import type { Manifests } from '../../manifest/desired';
import {
  type Expectation,
  isUnlisted,
  type Observed,
  unlistedItems,
  withShown,
} from '../../observation/evidence';
import { emptyLedger, type Ledger, type LedgerObject } from '../../reconciler/ledger/ledger';
import { ledgerKey } from '../../reconciler/ledger-key';
import { observationNeeds } from '../../reconciler/observation-needs';
import type { Affected } from '../../reconciler/plan/checks';
import type { PlanInputs } from '../../reconciler/plan/context';
import { draftPlan, finishPlan } from '../../reconciler/plan/make';
import type { Plan, PlanOptions, SecretStates, Step } from '../../reconciler/plan/plan';
import {
  type DesiredValues,
  definitionOf,
  type FieldValues,
  isReference,
  type ListItem,
  type ListRef,
} from '../../resources/kind';
import { clientsOf } from '../../resources/oauth-client-calls';
import { registry } from '../../resources/registry';
import { triggersOf } from '../../resources/run-trigger';

import { withApprovals } from './approvals';
import { soundManifest } from './sound-manifest';
import { oauthClientDocument } from './wire-documents';

export interface PureWorld {
  organization: string;
  clients: OAuthClientDocument[];
  triggers: RunTriggerDocument[];
  ledger: Ledger;
  /** Lists (by name) that answer "not found". */
  hidden: Set<string>;
  /** Ids that no list shows, as with a late list or another organization's. */
  unlisted: Set<string>;
  counter: number;
}

export function pureWorld(parts: Partial<PureWorld> = {}): PureWorld {
  return {
    organization: 'acme',
    clients: [],
    triggers: [],
    ledger: emptyLedger('acme'),
    hidden: new Set(),
    unlisted: new Set(),
    counter: 0,
    ...parts,
  };
}

/** A client with unremarkable values where none are given. */
export function clientDocument(id: string, values: Partial<OAuthClientDocument> = {}): OAuthClientDocument {
  return {
    ...oauthClientDocument(id),
    createdAt: '2026-01-01T00:00:00.000Z',
    projectIds: [],
    oauthTokenIds: [`ot-${id}`],
    agentPoolId: null,
    ...values,
  };
}

export function triggerDocument(
  id: string,
  source: string,
  target: string,
  createdAt = '2026-01-01T00:00:00.000Z',
): RunTriggerDocument {
  return {
    id,
    createdAt,
    workspaceId: target,
    sourceableId: source,
    workspaceName: null,
    sourceableName: null,
  };
}

/** A whole ledger object for a client, as an apply would have left it. */
export function clientInLedger(
  id: string,
  values: FieldValues,
  more: Partial<LedgerObject> = {},
): LedgerObject {
  return { kind: 'OAuthClient', id, file: 'acme.tether.yaml', values, digests: {}, protect: false, ...more };
}

export function triggerInLedger(
  id: string,
  source: string,
  target: string,
  more: Partial<LedgerObject> = {},
): LedgerObject {
  return {
    kind: 'RunTrigger',
    id,
    file: 'acme.tether.yaml',
    values: { workspaceId: target, sourceableId: source },
    digests: {},
    protect: false,
    ...more,
  };
}

/** A ledger of acme with these objects, by ledger key. */
export function ledgerWith(
  objects: Readonly<Record<string, LedgerObject>>,
  more: Partial<Ledger> = {},
): Ledger {
  return { ...emptyLedger('acme'), lineage: 'line', serial: 1, objects, ...more };
}

/** Manifest text of acme with a head; throws when it has errors. */
export function manifest(body: string, file?: string): Manifests {
  return soundManifest(`apiVersion: tether/v1\norganization: acme\n${body}`, {}, file);
}

/** Base URL of the service in which these worlds are. */
const service = 'https://service.test/api/v2';

/** What an observing pass of this world would yield for these manifests. */
function observedIn(world: PureWorld, manifests: Manifests): Observed {
  const needs = observationNeeds(manifests, world.ledger, registry);
  const refs = [
    ...needs.forced,
    ...needs.expected.flatMap(({ definition, key }: Expectation) => definition.listedIn(key)),
  ];
  const lists: Record<string, Observed['lists'][string]> = {};
  for (const ref of refs) lists[ref.name] = listIn(world, ref);
  const listed: Observed = { address: service, lists, shows: {} };
  const missed = [
    ...unlistedItems(
      listed,
      needs.expected.filter((one) => isUnlisted(listed, one)),
    ).keys(),
  ];
  return withShown(listed, needs.expected, new Map(missed.map((id) => [id, showIn(world, id)])));
}

function showIn(world: PureWorld, id: string): ListItem | null {
  return [...world.clients, ...world.triggers].find((one) => one.id === id) ?? null;
}

function listIn(world: PureWorld, ref: ListRef): Observed['lists'][string] {
  if (world.hidden.has(ref.name)) return { state: 'unreadable', ref, why: `GET ${ref.name}: 404` };
  const clients = ref.name === clientsOf(world.organization).name ? world.clients : [];
  const triggers = world.triggers.filter(
    ({ workspaceId, sourceableId }) =>
      ref.name === triggersOf(workspaceId, 'inbound').name ||
      ref.name === triggersOf(sourceableId, 'outbound').name,
  );
  const items = [...clients, ...triggers].filter((one) => !world.unlisted.has(one.id));
  return { state: 'read', ref, items };
}

/** `affected`: workspaces by the id of their client. */
export function planAll(
  inputs: PlanInputs,
  options: PlanOptions = {},
  kinds = registry,
  affected: Affected = {},
): Plan {
  return finishPlan(draftPlan(inputs, options, kinds), affected);
}

/** Plans this world; `secrets` by address and field, everything else not compared. With `approve` all that asks for it is approved. */
export function planIn(
  world: PureWorld,
  manifests: Manifests,
  { approve, ...options }: Partial<PlanOptions> & { readonly approve?: true } = {},
  secrets: SecretStates = {},
): { plan: Plan; inputs: PlanInputs; steps: readonly Step[] } {
  if (approve) {
    const { plan } = planIn(world, manifests, options, secrets);
    return planIn(world, withApprovals(manifests, plan), options, secrets);
  }
  const inputs = {
    manifests,
    ledger: world.ledger,
    observed: observedIn(world, manifests),
    secrets,
  };
  const plan = planAll(inputs, options);
  return { plan, inputs, steps: plan.steps };
}

/** Does to the world what the steps say, in their order, and keeps the ledger as an apply would. */
export function applyPurely(world: PureWorld, plan: Plan): void {
  const done = new Set<string>();
  for (const step of plan.steps) {
    for (const need of step.needs) if (!done.has(need)) throw new Error(`${step.id} comes before ${need}`);
    done.add(step.id);
    perform(world, step);
  }
  for (const { key, managed, file } of plan.baselineRefresh) {
    record(world, (objects) => {
      const object = objects[key];
      if (object !== undefined) objects[key] = { ...object, values: managed, file };
    });
  }
}

function record(world: PureWorld, change: (objects: Record<string, LedgerObject>) => void): void {
  const objects = { ...world.ledger.objects };
  change(objects);
  world.ledger = { ...world.ledger, objects };
}

function resolved(world: PureWorld, values: DesiredValues): FieldValues {
  const held = world.ledger.objects;
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      if (!isReference(value)) return [field, value];
      const id = held[value.address]?.id;
      if (id === undefined) throw new Error(`${value.address} has no id yet`);
      return [field, id];
    }),
  );
}

function perform(world: PureWorld, step: Step): void {
  const definition = definitionOf(step.kind, registry);
  if (step.action === 'move') {
    record(world, (objects) => {
      const object = objects[step.movedFrom ?? ''];
      delete objects[step.movedFrom ?? ''];
      if (object !== undefined) objects[step.key] = object;
    });
  } else if (step.action === 'forget') record(world, (objects) => drop(objects, step.key, step.objectId));
  else if (step.action === 'delete') remove(world, step);
  else if (step.action === 'cleanup') world.clients = world.clients.filter((one) => one.id !== step.objectId);
  else if (definition.pair.length > 0) link(world, step);
  else client(world, step);
}

function client(world: PureWorld, step: Step): void {
  const inputs = resolved(world, step.inputs);
  const exists = step.action === 'update' || step.action === 'adopt';
  let id = step.objectId ?? '';
  if (exists) {
    world.clients = world.clients.map((one) =>
      one.id === id ? { ...one, ...(inputs as Partial<OAuthClientDocument>) } : one,
    );
  } else {
    world.counter += 1;
    id = `oc-made${world.counter}`;
    world.clients.push(clientDocument(id, { name: null, ...(inputs as Partial<OAuthClientDocument>) }));
  }
  record(world, (objects) => {
    const before = objects[step.key];
    if (before !== undefined && before.id !== id && step.action === 'create')
      drop(objects, step.key, before.id);
    objects[step.key] = clientInLedger(id, resolved(world, step.managed), {
      file: step.file,
      protect: step.protect,
      ...(step.action === 'replace' ? { replaces: step.objectId ?? '' } : {}),
      ...(step.action === 'create' && before !== undefined ? { replaced: before.id } : {}),
    });
  });
}

function link(world: PureWorld, step: Step): void {
  const pair = resolved(world, step.managed);
  const definition = definitionOf(step.kind, registry);
  let id = step.objectId ?? '';
  if (step.action === 'create' && step.kind === 'RunTrigger') {
    world.counter += 1;
    id = `rt-made${world.counter}`;
    world.triggers.push(triggerDocument(id, String(pair.sourceableId), String(pair.workspaceId)));
  } else if (step.action === 'create') {
    id = `${String(pair.oauthClientId)}/${String(pair.projectId)}`;
    setProjects(world, String(pair.oauthClientId), (ids) => [...new Set([...ids, String(pair.projectId)])]);
  }
  record(world, (objects) => {
    objects[ledgerKey(definition, pair)] = {
      ...triggerInLedger(id, '', ''),
      kind: step.kind,
      values: pair,
      file: step.file,
    };
  });
}

function setProjects(world: PureWorld, id: string, change: (ids: readonly string[]) => string[]): void {
  world.clients = world.clients.map((one) =>
    one.id === id ? { ...one, projectIds: change(one.projectIds) } : one,
  );
}

function remove(world: PureWorld, step: Step): void {
  if (step.kind === 'RunTrigger') world.triggers = world.triggers.filter((one) => one.id !== step.objectId);
  else if (step.kind === 'ProjectAttachment') {
    setProjects(world, String(step.managed.oauthClientId), (ids) =>
      ids.filter((id) => id !== step.managed.projectId),
    );
  } else world.clients = world.clients.filter((one) => one.id !== step.objectId);
  record(world, (objects) => {
    if (step.reason !== 'replaced') return drop(objects, step.key, step.objectId);
    const { replaces, ...object } = objects[step.key] ?? clientInLedger('', {});
    drop(objects, '', replaces);
    objects[step.key] = { ...object, replaced: replaces ?? '' };
  });
}

/** Takes an object out of the ledger, and the links of that client with it. */
function drop(objects: Record<string, LedgerObject>, key: string, id: string | undefined): void {
  if (objects[key]?.id === id) delete objects[key];
  for (const [other, object] of Object.entries(objects)) {
    if (object.values.oauthClientId === id) delete objects[other];
  }
}
