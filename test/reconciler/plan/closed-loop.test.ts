/** Random worlds, planned and applied until nothing is left: what holds for every plan, whatever led to it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Manifests } from '../../../manifest/desired';
import { applyPlan, neededSecrets } from '../../../reconciler/apply/apply';
import type { Ledger, LedgerObject, Pending } from '../../../reconciler/ledger/ledger';
import { plan } from '../../../reconciler/plan/make';
import type { Plan } from '../../../reconciler/plan/plan';
import { planDigest } from '../../../reconciler/plan-digest';
import { resolveSecrets } from '../../../resources/secrets';
import {
  clientDocument,
  linesOf,
  longAgo,
  MemoryStore,
  SmallService,
  smallInputs,
  smallLedger,
  smallManifest,
  smallNow,
  triggerDocument,
  withApprovals,
} from '../../support/small-world';

const places = ['app', 'docs', 'net', 'dns'];
const projects = ['shop', 'data'];
const head = `aliases:
  workspaces: { ${places.map((name) => `${name}: ws-${name}`).join(', ')} }
  projects: { ${projects.map((name) => `${name}: prj-${name}`).join(', ')} }
`;
const fixed = (host: string) => ({
  serviceProvider: 'provider_a',
  httpUrl: `https://${host}`,
  apiUrl: `https://${host}/api`,
});
const secret = 'canary-of-a-secret';

/** Few names and hosts, so that objects meet. */
const name = fc.constantFrom('A', 'B');
const host = fc.constantFrom('one.example', 'two.example');
const id = fc.constantFrom('oc-1', 'oc-2', 'oc-3');
const address = fc.constantFrom('x', 'y');
const some = <T>(values: readonly T[]) => fc.subarray([...values]);
const pair = fc.constantFrom(
  ...places.flatMap((to) => places.filter((from) => from !== to).map((from) => `${to}<${from}`)),
);

const entry = fc.record({
  name,
  host,
  key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
  scoped: fc.option(fc.boolean(), { nil: undefined }),
  projects: fc.option(some(projects), { nil: undefined }),
  attached: some(projects),
  hasToken: fc.boolean(),
  hasSecret: fc.boolean(),
  id: fc.option(id, { nil: undefined, freq: 6 }),
});
const seen = fc.record({
  name,
  host,
  projectIds: some(projects.map((one) => `prj-${one}`)),
  key: fc.constantFrom(null, 'k1'),
  organizationScoped: fc.boolean(),
  age: fc.constantFrom(30, 90, 900),
});
const record = fc.record({
  id,
  name,
  host,
  retiring: fc.option(id, { nil: undefined, freq: 4 }),
  hasDigest: fc.boolean(),
});
const world = fc.record({
  entries: fc.dictionary(address, entry),
  singles: some(
    places.flatMap((to) => places.filter((from) => from !== to).map((from) => `${to}<${from}`)),
  ).map((all) => all.slice(0, 3)),
  inbound: fc.dictionary(fc.constantFrom('app', 'docs'), some(['net', 'dns'])),
  outbound: fc.dictionary(fc.constantFrom('net', 'dns'), some(['docs'])),
  clients: fc.dictionary(id, seen),
  triggers: fc.array(pair, { maxLength: 5 }),
  records: fc.dictionary(address, record),
  links: some(['oc-1/prj-shop', 'oc-1/prj-data', 'oc-2/prj-shop', 'oc-3/prj-data']),
  recorded: fc.dictionary(pair, fc.nat({ max: 2 })),
  pending: fc.dictionary(address, fc.record({ name, host, age: fc.constantFrom(10, 60, 130, 900) })),
  forget: some(['OAuthClient/x', 'OAuthClient/y', 'OAuthClient/oc-1', 'RunTrigger/app/net']),
  hidden: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: some(['ws-app', 'ws-net', 'acme']) },
  ),
  // A full target that only gains a source is found by the service, and not by the plan.
  mostSources: fc.constant(9),
});
type Drawn = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

function manifestOf(drawn: Drawn): Manifests | null {
  const { entries, singles, inbound, outbound, forget } = drawn;
  const clients = Object.entries(entries).map(([at, one]) => {
    const fields = {
      ...(one.id && { id: one.id }),
      name: one.name,
      ...fixed(one.host),
      ...(one.key && { key: one.key }),
      ...(one.scoped !== undefined && { organizationScoped: one.scoped }),
      ...(one.projects && { projects: `[${one.projects.join(', ')}]` }),
      ...(one.hasToken && { oauthTokenString: '{ fromEnv: TOKEN }' }),
      ...(one.hasSecret && { secret: '{ fromEnv: SECRET }' }),
    };
    return `  ${at}:\n${Object.entries(fields)
      .map(([field, value]) => `    ${field}: ${String(value)}\n`)
      .join('')}`;
  });
  const attachments = Object.entries(entries).flatMap(([at, one]) =>
    one.projects ? [] : one.attached.map((project) => `  - { oauthClient: ${at}, project: ${project} }\n`),
  );
  const lines = [
    ...singles.map((one) => `  - { target: ${one.split('<')[0]}, source: ${one.split('<')[1]} }\n`),
    ...Object.entries(inbound).map(([to, from]) => `  - { target: ${to}, sources: [${from.join(', ')}] }\n`),
    ...Object.entries(outbound).map(([from, to]) => `  - { source: ${from}, targets: [${to.join(', ')}] }\n`),
  ];
  const section = (title: string, all: readonly string[]) =>
    all.length === 0 ? '' : `${title}:\n${all.join('')}`;
  const live = forget.filter((one) => !(one.startsWith('OAuthClient/') && one.slice(12) in entries));
  try {
    const manifests = smallManifest(
      head +
        section('oauthClients', clients) +
        section('projectAttachments', attachments) +
        section('runTriggers', lines) +
        (live.length > 0 ? `forget: [${live.join(', ')}]\n` : ''),
    );
    const { profile } = manifests;
    return {
      ...manifests,
      profile: { ...profile, limits: { ...profile.limits, maxSources: drawn.mostSources } },
    };
  } catch {
    return null;
  }
}

function serviceOf({ clients, triggers, mostSources, hidden }: Drawn): SmallService {
  const service = new SmallService();
  service.clients = Object.entries(clients).map(([one, { host: at, age, ...values }]) =>
    clientDocument(one, {
      ...values,
      ...fixed(at),
      createdAt: new Date(smallNow - age * 1000).toISOString(),
    }),
  );
  service.triggers = triggers.map((one, index) => triggerDocument(`rt-${index}`, one));
  service.mostSources = mostSources;
  for (const one of hidden) service.hidden.add(one);
  return service;
}

/** As an apply could have left it: no id at two places. */
function ledgerOf({ records, links, recorded, pending, clients, triggers }: Drawn): Ledger {
  const held = new Set<string>();
  const objects: Record<string, LedgerObject> = {};
  for (const [at, { id: own, retiring, name: called, host: there, hasDigest }] of Object.entries(records)) {
    if (held.has(own)) continue;
    held.add(own);
    const old = retiring !== undefined && !held.has(retiring) ? [retiring] : [];
    for (const one of old) held.add(one);
    const digests: Record<string, string> = hasDigest
      ? { oauthTokenString: 'scrypt:x', secret: 'scrypt:x' }
      : {};
    objects[`OAuthClient/${at}`] = {
      id: own,
      createdAt: longAgo,
      values: { name: called, ...fixed(there) },
      digests,
      ...(old.length > 0 && { retiring: old }),
    };
  }
  const ids = new Set(Object.values(objects).map((one) => one.id));
  for (const link of links) if (ids.has(link.slice(0, 4))) objects[`ProjectAttachment/${link}`] = {};
  for (const [one, index] of Object.entries(recorded)) {
    const [to, from] = one.split('<');
    const there = triggers.flatMap((other, at) => (other === one ? [`rt-${at}`] : []));
    const own = there[index] ?? `rt-gone-${to}-${from}`;
    objects[`RunTrigger/ws-${to}/ws-${from}`] = { id: own, createdAt: longAgo };
  }
  const open: Record<string, Pending> = {};
  for (const [at, { name: called, host: there, age }] of Object.entries(pending)) {
    const attemptedAt = new Date(smallNow - age * 1000).toISOString();
    open[`OAuthClient/${at}`] = {
      attemptedAt,
      values: { name: called, ...fixed(there) },
      digests: {},
      existing: Object.keys(clients).slice(0, 1),
    };
  }
  return smallLedger(objects, open);
}

/** What holds of every plan. */
function checkPlan(made: Plan, manifests: Manifests): void {
  const ids = new Set(made.steps.map((step) => step.id));
  assert.equal(ids.size, made.steps.length, 'each step has an id of its own');
  const before = new Set<string>();
  for (const step of made.steps) {
    for (const need of step.needs) {
      assert.ok(ids.has(need), `${step.id} needs ${need}, which is not in the plan`);
      assert.ok(before.has(need), `${step.id} stands before ${need}`);
    }
    before.add(step.id);
    if (step.action === 'delete' && step.kind === 'OAuthClient') assert.ok(step.approval, step.id);
    if (step.action === 'replace') assert.ok(step.approval, step.id);
    if (step.unmanaged) assert.ok(step.set, `${step.id} is deleted for an exact set`);
  }
  assert.doesNotMatch(JSON.stringify(made), new RegExp(secret));
  const reported = new Set([...made.problems, ...made.unknown].map((one) => one.address));
  for (const { kind, address: at } of manifests.entries) {
    if (kind !== 'OAuthClient') continue;
    const writes = made.steps.filter((step) => step.address === at && step.action === 'create');
    assert.ok(writes.length === 0 || !reported.has(at), `${at} is both created and reported`);
  }
}

/** What was deleted must have been planned and approved, and be managed or in an exact set. */
function checkWrites(service: SmallService, made: Plan): void {
  const deletable = new Set(
    made.steps.flatMap(({ action, objectId }) => (action === 'delete' && objectId ? [objectId] : [])),
  );
  for (const write of service.writes) {
    const [, deleted] = /^DELETE (\S+)$/.exec(write) ?? [];
    if (deleted !== undefined) assert.ok(deletable.has(deleted), write);
  }
  const posts = service.writes.filter((one) => one.startsWith('POST client')).length;
  const wanted = made.steps.filter(
    ({ action, kind }) => kind === 'OAuthClient' && (action === 'create' || action === 'replace'),
  );
  assert.ok(posts <= wanted.length, 'one POST for each');
}

async function applyIn(service: SmallService, manifests: Manifests, store: MemoryStore) {
  const states = Object.fromEntries(
    manifests.entries.map(({ address: at }) => {
      const { digests = {} } = store.ledger.objects[at] ?? {};
      const state = (field: string) =>
        digests[field] === undefined ? ('unknown' as const) : ('same' as const);
      return [at, { oauthTokenString: state('oauthTokenString'), secret: state('secret') }];
    }),
  );
  const options = { secrets: states, maxDeletes: 1000 };
  const asked = await smallInputs(service, manifests, store.ledger, options);
  const first = plan(asked);
  const inputs = { ...asked, manifests: withApprovals(manifests, first) };
  const made = plan(inputs);
  checkPlan(made, manifests);
  const { steps, blockers } = made;
  assert.deepEqual(blockers, []);
  const secrets = resolveSecrets(neededSecrets(made), { env: { TOKEN: secret, SECRET: secret }, root: '/' });
  service.writes.length = 0;
  const result = await applyPlan({
    api: service.api,
    plan: made,
    observed: inputs.observed,
    ledger: store.ledger,
    store,
    secrets,
  });
  checkWrites(service, made);
  assert.doesNotMatch(JSON.stringify([store.ledger, result]), new RegExp(secret));
  return { made, steps, result, inputs };
}

describe('any world', () => {
  it('is planned by needs without circles and with approvals, applied as planned, and then nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const manifests = manifestOf(drawn);
        fc.pre(manifests !== null);
        const service = serviceOf(drawn);
        const store = new MemoryStore(ledgerOf(drawn));
        const log: string[][] = [];
        try {
          for (let round = 0; round < 4; round += 1) {
            const { made, result } = await applyIn(service, manifests, store);
            log.push([
              ...linesOf(made),
              ...result.steps.flatMap(({ status, message, step }) =>
                status === 'done' ? [] : [`${status} ${step}: ${message}`],
              ),
            ]);
            const bugs = result.steps.filter(({ code }) => code === 'bug');
            assert.deepEqual(bugs, []);
            service.now += 200_000;
          }
          // A target that only gets links is not looked at, so its create may be refused each time.
          const isFull = log.at(-1)?.some((line) => line.includes('too many sources')) === true;
          if (drawn.hidden.length === 0 && !isFull)
            assert.deepEqual(
              log
                .at(-1)
                ?.filter((line) =>
                  /^(?:create|update|adopt|replace|delete|move|forget|drop|failed|blocked) /.test(line),
                ),
              [],
            );
          const ids = Object.values(store.ledger.objects).flatMap(({ id: own, retiring = [] }) =>
            [own, ...retiring].filter(Boolean),
          );
          assert.equal(new Set(ids).size, ids.length, 'no id stands at two places');
        } catch (error) {
          throw new Error(
            `${error instanceof Error ? error.message : String(error)}\n${JSON.stringify(log, null, 1)}\n${JSON.stringify(store.ledger, null, 1)}`,
          );
        }
      }),
      {
        numRuns: Number(process.env.RUNS ?? 100),
        ...(process.env.SEED && { seed: Number(process.env.SEED) }),
      },
    );
  });

  it('has the same digest in whatever order its files and lists come', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (drawn) => {
        const manifests = manifestOf(drawn);
        fc.pre(manifests !== null);
        const service = serviceOf(drawn);
        const digest = async (desired: Manifests) =>
          planDigest(plan(await smallInputs(service, desired, ledgerOf(drawn))), 'address');
        const before = await digest(manifests);
        service.triggers.reverse();
        service.clients.reverse();
        const other = {
          ...manifests,
          entries: [...manifests.entries].reverse(),
          sets: [...manifests.sets].reverse(),
        };
        assert.equal(await digest(other), before);
        const elsewhere = { ...ledgerOf(drawn), lineage: 'another' };
        assert.notEqual(
          planDigest(plan(await smallInputs(service, manifests, elsewhere)), 'address'),
          before,
        );
      }),
      { numRuns: 50 },
    );
  });
});
