/** What an apply does when something goes wrong: it names it, records the truth, and goes on with the rest. */
import assert from 'node:assert/strict';
import type { Api } from '../../../client/api';
import { type ApplyResult, PlanBlocked, type StepResult } from '../../../reconciler/apply/apply';
import { Tap } from '../../faults/tap';
import { acmeClients, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld, createApi } from '../../support/apply-world';
import { planOf, stepOf } from '../../support/plans';

const createRoute = '/organizations/:organization_name/oauth-clients';

function resultOf(result: ApplyResult, step: string): StepResult {
  const found = result.steps.find((one) => one.step === step);
  assert.ok(found, `${step} is not among ${result.steps.map((one) => one.step).join(', ')}`);
  return found;
}

describe('an apply in which something fails', () => {
  let world: ApplyWorld;
  beforeEach(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
  });
  afterEach(() => world.close());

  it('blocks what needs the failed step, naming it, does the rest, and later only what is left', async () => {
    world.service.fault({ how: 'status', status: 422, method: 'POST', route: createRoute, nth: 1 });
    const { result } = await world.apply({}, { concurrency: 1 });
    const failed = result.steps.filter((one) => one.status === 'failed');
    assert.deepEqual(
      failed.map((one) => one.step),
      ['create OAuthClient/github'],
    );
    assert.match(failed[0]?.message ?? '', /POST .*oauth-clients.*422/);
    const blocked = resultOf(result, 'create ProjectAttachment/github/shop');
    assert.equal(blocked.status, 'blocked');
    assert.match(blocked.message ?? '', /"create OAuthClient\/github", which failed/);
    assert.deepEqual(result.counts, { done: 5, failed: 1, blocked: 2, 'not-tried': 0 });
    assert.deepEqual(world.ledger.pending, {}, 'a refused create leaves no intent');
    const again = await world.apply();
    assert.deepEqual(again.result.counts, { done: 3, failed: 0, blocked: 0, 'not-tried': 0 });
  });

  for (const fault of [
    { how: 'status', status: 500, applied: true },
    { how: 'garbage' },
    { how: 'truncate' },
  ] as const) {
    it(`takes what a create made although the answer says nothing of use (${fault.how})`, async () => {
      world.service.fault({ ...fault, method: 'POST', route: createRoute });
      const { result } = await world.apply();
      assert.equal(result.counts.done, 8);
      const { oauthClients } = world.service.snapshot();
      assert.deepEqual(oauthClients.map((one) => one.name).sort(), ['GitHub', 'GitLab']);
    });
  }

  it('goes on with one of two that an interrupted create left, and cleans up the other in the same apply', async () => {
    const { plan } = await world.plan();
    const tap = new Tap(world.service, new Map(), { index: 1, how: 'killed-after-call' });
    await world.applyPlan(plan, {
      api: tap.api(world.api),
      aroundJournal: tap.journal,
      concurrency: 1,
    });
    const [left] = world.service.snapshot().oauthClients;
    assert.match(left?.name ?? '', /^tether-pending-/);
    await world.api.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      name: left?.name ?? null,
      oauthTokenString: 'canary-token-1',
    });
    const { result } = await world.apply({}, { concurrency: 1 });
    assert.equal(result.counts.done, result.steps.length);
    assert.equal(world.service.snapshot().oauthClients.length, 2);
    assert.equal(world.objects()['OAuthClient/github']?.id, left?.id);
  });

  it('keeps the intent of a create that was refused after an answer was lost', async () => {
    world.service.fault([
      { how: 'reset-before', method: 'POST', route: createRoute, nth: 1 },
      { how: 'status', status: 422, method: 'POST', route: createRoute, nth: 2 },
    ]);
    const { result } = await world.apply({}, { concurrency: 1 });
    assert.equal(resultOf(result, 'create OAuthClient/github').status, 'failed');
    assert.deepEqual(Object.keys(world.ledger.pending), ['OAuthClient/github']);
    await world.apply();
    assert.deepEqual(world.ledger.pending, {});
  });

  it('names the one bad project of several and attaches the others', async () => {
    world.manifest = acmeManifest({
      links: `projectAttachments:
  - { oauthClient: github, project: payments }
  - { oauthClient: github, project: prj-unknown }
  - { oauthClient: github, project: shop }
`,
    });
    const { result } = await world.apply();
    const failed = result.steps.filter((one) => one.status === 'failed');
    assert.deepEqual(
      failed.map((one) => one.address),
      ['ProjectAttachment/github/prj-unknown'],
    );
    const github = world.service.snapshot().oauthClients.find((one) => one.name === 'GitHub');
    assert.deepEqual([...(github?.projectIds ?? [])].sort(), ['prj-payments', 'prj-shop']);
    assert.equal(Object.keys(world.objects()).filter((key) => key.includes('prj-unknown')).length, 0);
  });

  it('leaves no intent of attachments that were refused together', async () => {
    world.manifest = acmeManifest({ clients: acmeClients.replace('    projects: [data]\n', ''), links: '' });
    await world.apply();
    world.manifest = acmeManifest();
    world.service.fault({
      how: 'status',
      status: 404,
      method: 'POST',
      route: '/oauth-clients/:id/relationships/projects',
    });
    const { result } = await world.apply();
    assert.ok(result.counts.failed >= 2);
    assert.deepEqual(world.ledger.pending, {});
  });

  it('makes a client that was destroyed by hand again, and forgets the attachments that went with it', async () => {
    await world.apply();
    const gone = world.objects()['OAuthClient/github']?.id ?? '';
    await world.api.oauthClients.delete(gone);
    const { plan } = await world.plan();
    const tap = plan.steps.filter((one) => one.address === 'OAuthClient/github');
    await world.applyPlan(planOf({ ...plan, steps: tap }));
    assert.notEqual(world.objects()['OAuthClient/github']?.id, gone);
    assert.deepEqual(
      Object.keys(world.objects()).filter((key) => key.includes(gone)),
      [],
    );
  });

  it('starts nothing more once it is interrupted, and records what was under way', async () => {
    const interruption = new AbortController();
    const { plan } = await world.plan();
    const result = await world.applyPlan(plan, {
      signal: interruption.signal,
      concurrency: 1,
      onEvent: (event) => {
        if (event.type === 'started') interruption.abort();
      },
    });
    assert.equal(result.interrupted, true);
    assert.deepEqual(result.counts, { done: 3, failed: 0, blocked: 0, 'not-tried': 5 });
    assert.equal(Object.keys(world.objects()).length, 3);
    await world.apply();
    assert.equal(world.service.snapshot().oauthClients.length, 2);
  });

  it('refuses to change a client that somebody changed since, naming field and values', async () => {
    await world.apply();
    const id = world.objects()['OAuthClient/gitlab']?.id ?? '';
    world.manifest = acmeManifest({ clients: acmeClients.replace('key: lab-key', 'key: our-key') });
    const { plan } = await world.plan();
    await world.api.oauthClients.update(id, { name: 'Theirs' });
    const result = await world.applyPlan(plan);
    const { status, message = '' } = resultOf(result, 'update OAuthClient/gitlab');
    assert.equal(status, 'failed');
    assert.match(message, /name was "GitLab" and is "Theirs"/);
    const there = world.service.snapshot().oauthClients.find((one) => one.id === id);
    assert.deepEqual([there?.name, there?.key], ['Theirs', 'lab-key']);
  });

  it('does not take its own attachments for somebody else’s change', async () => {
    world.manifest = acmeManifest({
      clients: acmeClients.replace('organizationScoped: false', 'organizationScoped: true'),
      links: '',
    });
    await world.apply();
    world.manifest = acmeManifest();
    const { result } = await world.apply();
    assert.equal(resultOf(result, 'update OAuthClient/github').status, 'done');
    assert.equal(result.counts.done, result.steps.length);
  });

  it('refuses to destroy a client that somebody changed since', async () => {
    await world.apply();
    const id = world.objects()['OAuthClient/gitlab']?.id ?? '';
    world.manifest = acmeManifest({ clients: acmeClients.slice(0, acmeClients.indexOf('  gitlab:')) });
    const { plan } = await world.plan({ approve: true });
    await world.api.oauthClients.attach(id, ['prj-shop']);
    const result = await world.applyPlan(plan);
    assert.match(resultOf(result, 'delete OAuthClient/gitlab').message ?? '', /projectIds was/);
    assert.equal(world.service.snapshot().oauthClients.length, 2);
    assert.ok('OAuthClient/gitlab' in world.objects());
  });

  it('takes a client for gone only when the list lacks it too', async () => {
    await world.apply();
    const id = world.objects()['OAuthClient/gitlab']?.id ?? '';
    world.manifest = acmeManifest({ clients: acmeClients.slice(0, acmeClients.indexOf('  gitlab:')) });
    const { plan } = await world.plan({ approve: true });
    world.service.patchSeed({ tokens: { weak: { acme: { workspaces: { 'ws-app': 'admin' } } } } });
    const unseen = await world.applyPlan(plan, { api: createApi(world.service, 'weak') });
    assert.equal(resultOf(unseen, 'delete OAuthClient/gitlab').status, 'failed');
    assert.ok('OAuthClient/gitlab' in world.objects(), 'what cannot be seen stays in the ledger');
    await world.api.oauthClients.delete(id);
    const gone = await world.applyPlan(plan);
    assert.equal(resultOf(gone, 'delete OAuthClient/gitlab').status, 'done');
    assert.ok(!('OAuthClient/gitlab' in world.objects()));
  });

  it('changes nothing of a client that cannot be seen any more, and cleans up nothing that cannot be seen', async () => {
    await world.apply();
    const id = world.objects()['OAuthClient/gitlab']?.id ?? '';
    world.manifest = acmeManifest({ clients: acmeClients.replace('key: lab-key', 'key: our-key') });
    const { plan } = await world.plan();
    world.service.patchSeed({ tokens: { weak: { acme: { workspaces: { 'ws-app': 'admin' } } } } });
    const weak = createApi(world.service, 'weak');
    const update = await world.applyPlan(plan, { api: weak });
    assert.match(
      resultOf(update, 'update OAuthClient/gitlab').message ?? '',
      /not there any more, or the token may no longer see it/,
    );
    const step = stepOf({
      action: 'cleanup',
      kind: 'OAuthClient',
      address: 'x',
      key: 'tether-pending-x',
      objectId: id,
    });
    const cleanup = await world.applyPlan(planOf({ steps: [step] }), { api: weak });
    assert.match(cleanup.steps[0]?.message ?? '', /cannot be seen any more/);
    assert.equal(world.service.snapshot().oauthClients.find((one) => one.id === id)?.key, 'lab-key');
  });

  it('keeps a trigger in the ledger when a 404 may mean that the token lost its permission', async () => {
    await world.apply();
    world.manifest = acmeManifest({ links: '' });
    const { plan } = await world.plan({ maxDeletes: 9 });
    world.service.patchSeed({ tokens: { blind: { acme: { manageVcsSettings: true } } } });
    const result = await world.applyPlan(plan, { api: createApi(world.service, 'blind') });
    assert.equal(resultOf(result, 'delete RunTrigger/docs/app').status, 'failed');
    assert.ok('RunTrigger/ws-docs/ws-app' in world.objects());
  });

  it('stops at a refused token: nothing else is tried', async () => {
    world.service.fault({ how: 'status', status: 401, method: 'POST', nth: 1 });
    const { plan } = await world.plan();
    const result = await world.applyPlan(plan, { concurrency: 1 });
    assert.equal(result.counts.failed, 1);
    assert.equal(result.counts['not-tried'] + result.counts.blocked, 7);
    assert.ok(result.steps.some((one) => one.message === 'the token was refused'));
  });

  it('stops when the journal cannot be written: no call is made that nobody would remember', async () => {
    const { plan } = await world.plan();
    world.service.clearRequests();
    const result = await world.applyPlan(plan, {
      concurrency: 1,
      aroundJournal: () => ({ append: () => Promise.reject(new Error('no space left on device')) }),
    });
    assert.equal(result.counts.failed, 1);
    assert.match(
      result.steps.find((one) => one.status === 'failed')?.message ?? '',
      /no space left on device/,
    );
    assert.deepEqual(world.service.requests(), []);
  });

  it('takes secrets out of what the service says', async () => {
    const echo = 'the token canary-token-1 and canary-secret-1 are bad';
    world.service.fault({
      how: 'status',
      status: 422,
      method: 'POST',
      route: createRoute,
      body: JSON.stringify({ errors: [{ status: '422', title: 'bad', detail: echo }] }),
    });
    const { result } = await world.apply();
    const text = JSON.stringify(result);
    assert.ok(!text.includes('canary'), text);
    assert.match(text, /the token \(secret\) and \(secret\) are bad/);
  });

  it('calls an error that nobody foresaw a bug, and does the rest', async () => {
    const broken: Api = {
      ...world.api,
      runTriggers: {
        ...world.api.runTriggers,
        create: () => Promise.reject(new TypeError('x is undefined')),
      },
    };
    const { result } = await world.apply({}, { api: broken });
    const { message = '' } = resultOf(result, 'create RunTrigger/docs/app');
    assert.match(message, /failed unexpectedly: x is undefined\. This is a bug/);
    assert.equal(result.counts.failed, 3);
    assert.equal(result.counts.done, 5);
  });

  it('leaves an object alone that somebody gave another name before it was cleaned up', async () => {
    await world.apply();
    const { id } = await world.api.oauthClients.create('acme', {
      name: 'tether-pending-000000000000-1',
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      oauthTokenString: 'theirs',
    });
    const cleanup = stepOf({
      action: 'cleanup',
      address: `OAuthClient/${id}`,
      key: 'tether-pending-000000000000-1',
      objectId: id,
    });
    const unknown = await world.applyPlan(planOf({ steps: [cleanup] }));
    assert.match(unknown.steps[0]?.message ?? '', /no unfinished create of ours is: it was left alone/);
    const used = stepOf({
      action: 'cleanup',
      address: 'x',
      objectId: world.objects()['OAuthClient/github']?.id ?? '',
    });
    const inUse = await world.applyPlan(planOf({ steps: [{ ...used, kind: 'OAuthClient' }] }));
    assert.equal(inUse.counts.failed, 1);
    assert.equal(world.service.snapshot().oauthClients.length, 3);
  });

  it('refuses a plan that the guards stop, before any call', async () => {
    const { plan } = await world.plan();
    const stopped = planOf({
      ...plan,
      blockers: [{ code: 'approval', message: 'not approved' }],
    });
    world.service.clearRequests();
    await assert.rejects(
      world.applyPlan(stopped),
      (error) => error instanceof PlanBlocked && error.message === 'not approved',
    );
    assert.deepEqual(world.service.requests(), []);
  });

  it('refuses a delete and a replacement whose approval was not given', async () => {
    await world.apply();
    const id = world.objects()['OAuthClient/github']?.id ?? '';
    for (const action of ['delete', 'replace'] as const) {
      const approval = {
        action: 'destroy',
        id,
        given: false,
        line: `{ destroy: OAuthClient/github, id: ${id} }`,
      } as const;
      const step = stepOf({ action, address: 'OAuthClient/github', objectId: id, approval });
      const result = await world.applyPlan(planOf({ steps: [step] }));
      assert.match(result.steps[0]?.message ?? '', /is not approved/);
    }
    assert.equal(world.service.snapshot().oauthClients.length, 2);
  });
});
