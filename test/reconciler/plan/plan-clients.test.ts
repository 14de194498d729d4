/** What the plan of a client says in each situation. */
import assert from 'node:assert/strict';
import type { Affected } from '../../../reconciler/plan/checks';
import type { SecretStates, Step } from '../../../reconciler/plan/plan';
import { noncePrefix } from '../../../resources/names';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planAll,
  planIn,
  pureWorld,
} from '../../support/pure-world';

const ids = (steps: readonly Step[]): string[] => steps.map((step) => step.id);
const step = (steps: readonly Step[], id: string): Step => {
  const found = steps.find((one) => one.id === id);
  assert.ok(found, `${id} among ${ids(steps).join(', ')}`);
  return found;
};
const problems = (made: ReturnType<typeof planIn>): string[] =>
  made.plan.problems.map((one) => one.rule) ?? [];
const blockers = (made: ReturnType<typeof planIn>): string[] =>
  made.plan.blockers.map((one) => one.code) ?? [];
const notes = (made: ReturnType<typeof planIn>): string[] => made.plan.notes.map((one) => one.code) ?? [];
const warnings = (made: ReturnType<typeof planIn>): string[] =>
  made.plan.warnings.map((one) => one.rule) ?? [];

/** acme with one client that is ours and unchanged. */
const settled = (more: Parameters<typeof clientDocument>[1] = {}, inLedger: object = {}) =>
  pureWorld({
    clients: [clientDocument('oc-1', more)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values, inLedger) }),
  });

describe('planning a client', () => {
  it('creates what does not exist, with its secret as new or not compared', () => {
    const text = `${github}    oauthTokenString: { fromEnv: GIT_TOKEN }\n`;
    const known: SecretStates = { 'OAuthClient/github': { oauthTokenString: 'unverified' } };
    const one = step(planIn(pureWorld(), manifest(text), {}, known).steps, 'create OAuthClient/github');
    assert.equal(one.changes.find((change) => change.field === 'oauthTokenString')?.secret, 'new');
    const two = step(planIn(pureWorld(), manifest(text)).steps, 'create OAuthClient/github');
    assert.equal(two.changes.find((change) => change.field === 'oauthTokenString')?.secret, 'not-compared');
    assert.deepEqual(one.secrets, { oauthTokenString: { fromEnv: 'GIT_TOKEN' } });
  });

  it('notes which secrets apply will need for what it makes, and where they would come from', () => {
    const text = `${github}    secret: { fromFile: app.key }\n    oauthTokenString: { fromEnv: GIT_TOKEN }\n`;
    const states = (secret: 'same' | 'not-compared', oauthTokenString: 'same' | 'not-compared') => ({
      'OAuthClient/github': { secret, oauthTokenString },
    });
    const needed = (world: ReturnType<typeof pureWorld>, manifests: string, known: SecretStates) =>
      planIn(world, manifest(manifests), {}, known)
        .plan.notes.filter((one) => one.code === 'secret-needed')
        .map((one) => one.text);
    const both =
      'apply will also need: oauthTokenString (environment variable GIT_TOKEN), secret (file app.key)';
    assert.deepEqual(needed(pureWorld(), text, {}), [both]);
    assert.deepEqual(needed(pureWorld(), text, states('not-compared', 'same')), [
      'apply will also need: secret (file app.key)',
    ]);
    assert.deepEqual(needed(pureWorld(), text, states('same', 'same')), []);
    const moved = text.replace('httpUrl: https://git.', 'httpUrl: https://new.');
    assert.deepEqual(needed(settled(), moved, states('not-compared', 'not-compared')), [both]);
    assert.deepEqual(needed(settled(), text, states('not-compared', 'not-compared')), []);
  });

  it('stops at look-alikes, naming each and both ways out, and plans the rest', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-1'), clientDocument('oc-2', { oauthTokenIds: [] })],
    });
    const made = planIn(world, manifest(`${github}runTriggers: [{ target: ws-a, source: ws-b }]\n`));
    assert.deepEqual(ids(made.steps), ['create RunTrigger/ws-a/ws-b']);
    assert.deepEqual(problems(made), ['possible-match']);
    const message = made.plan.problems[0]?.message ?? '';
    for (const part of [
      'oc-1',
      'oc-2',
      'created 2026-01-01',
      'not connected',
      '`id: oc-1`',
      '`allowDuplicate: true`',
    ]) {
      assert.ok(message.includes(part), `${part} in: ${message}`);
    }
  });

  it('makes a duplicate beside a possible match when told to', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1')] });
    assert.deepEqual(ids(planIn(world, manifest(`${github}    allowDuplicate: true\n`)).steps), [
      'create OAuthClient/github',
    ]);
  });

  it('takes no object that the ledger holds, and no temporary name, for a possible match', () => {
    const other = `${github}  other:\n    allowDuplicate: false\n    name: GitHub\n    serviceProvider: provider_a\n    httpUrl: https://git.example.com\n    apiUrl: https://git.example.com/api/v3\n`;
    const world = settled();
    world.clients.push(clientDocument('oc-9', { name: 'tether-pending-0123456789ab-00' }));
    const made = planIn(world, manifest(other));
    assert.deepEqual(problems(made), []);
    assert.deepEqual(ids(made.steps), ['create OAuthClient/other']);
  });

  it('warns of the same provider and URLs under another name', () => {
    const clients = [clientDocument('oc-1', { name: 'Old name' })];
    const made = planIn(pureWorld({ clients }), manifest(github));
    assert.deepEqual([ids(made.steps), warnings(made)], [['create OAuthClient/github'], ['similar-object']]);
  });

  it('adopts by id, with differences as changes of the adoption', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1', { key: 'old' }), clientDocument('oc-2')] });
    const made = planIn(
      world,
      manifest(`${github}    id: oc-1\n    key: new\n    secret: { fromEnv: S }\n`),
      {},
      { 'OAuthClient/github': { secret: 'unverified' } },
    );
    const adopt = step(made.steps, 'adopt OAuthClient/github');
    assert.equal(adopt.objectId, 'oc-1');
    assert.deepEqual(
      adopt.changes.map((one) => [one.field, one.from, one.to]),
      [['key', 'old', 'new']],
    );
    assert.deepEqual(notes(made), ['secret-unverified']);
    assert.deepEqual(adopt.secrets, {});
  });

  it('points at --write-secrets only where the service takes such a secret in place', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1')] });
    const lines = manifest(
      `${github}    id: oc-1\n    secret: { fromEnv: S }\n    oauthTokenString: { fromEnv: T }\n`,
    );
    const noteOn = (field: string) =>
      planIn(world, lines, {}, { 'OAuthClient/github': { [field]: 'unverified' } }).plan.notes.find(
        (one) => one.code === 'secret-unverified',
      )?.text;
    assert.match(noteOn('secret') ?? '', /--write-secrets/);
    assert.match(noteOn('oauthTokenString') ?? '', /takes it only in a create: .* declare a second client/);
  });

  it('refuses to adopt what differs in a field that never changes, at that line', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1', { httpUrl: 'https://other.example' })] });
    const made = planIn(world, manifest(`${github}    id: oc-1\n`));
    assert.deepEqual([ids(made.steps), problems(made)], [[], ['cannot-adopt']]);
    assert.equal(made.plan.problems[0]?.at?.line, 7);
  });

  it('refuses an id that does not exist, that another entry holds, or that the ledger contradicts', () => {
    const gone = planIn(pureWorld(), manifest(`${github}    id: oc-404\n`));
    assert.deepEqual([ids(gone.steps), problems(gone)], [[], ['id-absent']]);
    const destroyed = pureWorld({ ledger: settled().ledger });
    const adopted = planIn(destroyed, manifest(`${github}    id: oc-1\n`));
    assert.deepEqual([ids(adopted.steps), problems(adopted)], [[], ['id-absent']]);
    const differs = planIn(settled(), manifest(`${github}    id: oc-2\n`));
    assert.deepEqual([ids(differs.steps), problems(differs)], [[], ['id-differs']]);
    const world = pureWorld({
      clients: [clientDocument('oc-1')],
      ledger: ledgerWith({ 'OAuthClient/other': clientInLedger('oc-1', { name: 'X' }) }),
    });
    const held = planIn(world, manifest(`${github}    id: oc-1\n`));
    assert.ok(problems(held).includes('id-held'));
  });

  it('takes the id of the replaced predecessor as a warning', () => {
    const made = planIn(settled({}, { replaced: 'oc-0' }), manifest(`${github}    id: oc-0\n`));
    assert.deepEqual([ids(made.steps), problems(made), warnings(made)], [[], [], ['id-replaced']]);
    // The replacement was interrupted before it destroyed the old one: it goes on.
    const cut = planIn(settled({}, { replaces: 'oc-0' }), manifest(`${github}    id: oc-0\n`));
    assert.deepEqual(problems(cut), []);
    assert.deepEqual(ids(cut.steps), ['delete OAuthClient/github (replaced oc-0)']);
  });

  it('says which side changed a field, and marks a conflict', () => {
    const cases = [
      {
        observed: 'GitHub',
        wanted: 'New',
        reason: 'manifest-changed',
        baseline: undefined,
        conflict: undefined,
      },
      {
        observed: 'Hand',
        wanted: 'GitHub',
        reason: 'changed-elsewhere',
        baseline: 'GitHub',
        conflict: undefined,
      },
      { observed: 'Hand', wanted: 'New', reason: 'conflict', baseline: 'GitHub', conflict: true },
    ];
    for (const { observed, wanted, reason, baseline, conflict } of cases) {
      const text = github.replace('name: GitHub', `name: ${wanted}`);
      const update = step(
        planIn(settled({ name: observed }), manifest(text)).steps,
        'update OAuthClient/github',
      );
      assert.equal(update.reason, reason);
      assert.deepEqual([update.changes[0]?.baseline, update.changes[0]?.conflict], [baseline, conflict]);
      assert.deepEqual(update.inputs, { name: wanted });
    }
  });

  it('finds nothing to do where somebody made the very change that the manifest wants', () => {
    const made = planIn(settled({ name: 'New' }), manifest(github.replace('name: GitHub', 'name: New')));
    assert.deepEqual(ids(made.steps), []);
    assert.equal(made.plan.baselineRefresh[0]?.managed.name, 'New');
  });

  it('updates a changed secret, replaces for one that PATCH does not carry, and says nothing of an equal one', () => {
    const text = `${github}    secret: { fromEnv: S }\n    oauthTokenString: { fromEnv: T }\n`;
    const states = (secret: 'same' | 'changed', token: 'same' | 'changed'): SecretStates => ({
      'OAuthClient/github': { secret, oauthTokenString: token },
    });
    assert.deepEqual(ids(planIn(settled(), manifest(text), {}, states('same', 'same')).steps), []);
    const update = step(
      planIn(settled(), manifest(text), {}, states('changed', 'same')).steps,
      'update OAuthClient/github',
    );
    assert.deepEqual(
      [update.reason, update.secrets, update.risks.length],
      ['secret-changed', { secret: { fromEnv: 'S' } }, 1],
    );
    const made = planIn(settled(), manifest(text), {}, states('same', 'changed'));
    assert.equal(made.steps[0]?.action, 'replace');
  });

  it('writes the secrets that PATCH carries, and only those, when told to', () => {
    const text = `${github}    secret: { fromEnv: S }\n    oauthTokenString: { fromEnv: T }\n`;
    const states: SecretStates = {
      'OAuthClient/github': { secret: 'unverified', oauthTokenString: 'unverified' },
    };
    const update = step(
      planIn(settled(), manifest(text), { writeSecrets: true }, states).steps,
      'update OAuthClient/github',
    );
    assert.deepEqual(update.secrets, { secret: { fromEnv: 'S' } });
    assert.equal(update.reason, 'secret-unverified');
  });

  it('replaces with approval bound to the id, carries over what the manifest leaves out, and destroys last', () => {
    const world = settled({
      key: 'k',
      organizationScoped: false,
      projectIds: ['prj-x'],
      agentPoolId: 'apool-1',
    });
    const text = github.replace('httpUrl: https://git.example.com', 'httpUrl: https://new.example.com');
    const made = planIn(world, manifest(text));
    assert.deepEqual(ids(made.steps), [
      'replace OAuthClient/github',
      'delete OAuthClient/github (replaced oc-1)',
    ]);
    const replace = step(made.steps, 'replace OAuthClient/github');
    assert.deepEqual(
      {
        key: replace.inputs.key,
        scope: replace.inputs.organizationScoped,
        pool: replace.inputs.agentPoolId,
        projects: replace.inputs.projectIds,
      },
      { key: 'k', scope: false, pool: 'apool-1', projects: ['prj-x'] },
    );
    assert.deepEqual(Object.keys(replace.managed).sort(), [
      'apiUrl',
      'httpUrl',
      'name',
      'organization',
      'serviceProvider',
    ]);
    assert.equal(replace.approval?.given, false);
    assert.deepEqual(blockers(made), ['approval']);
    const line = replace.approval?.line ?? '';
    assert.equal(line, '- { replace: OAuthClient/github, id: oc-1 }');
    assert.deepEqual(blockers(planIn(world, manifest(`${text}approved:\n  ${line}\n`))), []);
    assert.deepEqual(blockers(planIn(world, manifest(text), { approve: true })), []);
    assert.deepEqual(
      blockers(planIn(world, manifest(`${text}approved: [{ replace: OAuthClient/github, id: oc-2 }]\n`))),
      ['approval'],
    );
  });

  it('finishes a replacement that was interrupted before the old client went', () => {
    const world = settled({}, { replaces: 'oc-0' });
    world.clients.push(clientDocument('oc-0', { name: 'GitHub', httpUrl: 'https://old.example' }));
    const made = planIn(world, manifest(github));
    const last = step(made.steps, 'delete OAuthClient/github (replaced oc-0)');
    assert.deepEqual([last.objectId, last.approval, blockers(made)], ['oc-0', undefined, []]);
  });

  it('destroys a removed client only with approval for its id, and never a protected one', () => {
    const none = manifest('oauthClients: {}\n');
    assert.deepEqual(blockers(planIn(settled(), none)), ['approval']);
    const approved = manifest('approved: [{ destroy: OAuthClient/github, id: oc-1 }]\n');
    assert.deepEqual(blockers(planIn(settled(), approved)), []);
    assert.deepEqual(blockers(planIn(settled({}, { protect: true }), approved)), ['protected']);
  });

  it('forgets a client and its attachments without a call', () => {
    const world = settled({ projectIds: ['prj-a'] });
    world.ledger = ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values),
      'ProjectAttachment/oc-1/prj-a': {
        ...clientInLedger('oc-1/prj-a', { oauthClientId: 'oc-1', projectId: 'prj-a' }),
        kind: 'ProjectAttachment',
      },
    });
    assert.deepEqual(ids(planIn(world, manifest('forget: [OAuthClient/github]\n')).steps), [
      'forget OAuthClient/github',
    ]);
  });

  it('moves a renamed address without a call, told or not, and warns of an obsolete line', () => {
    const renamed = github.replace('github:', 'hub:');
    assert.deepEqual(ids(planIn(settled(), manifest(renamed)).steps), ['move OAuthClient/hub']);
    const told = manifest(
      `${renamed.replace('name: GitHub', 'name: Hub')}moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]\n`,
    );
    assert.deepEqual(ids(planIn(settled(), told).steps), ['move OAuthClient/hub', 'update OAuthClient/hub']);
    const spent = manifest(`${github}moved: [{ from: OAuthClient/gh, to: OAuthClient/github }]\n`);
    assert.deepEqual(warnings(planIn(settled(), spent)), ['obsolete-line']);
  });

  it('does not manage a field whose line is gone', () => {
    const world = settled({ key: 'changed by hand' });
    world.ledger = ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', { ...values, key: 'k' }) });
    const made = planIn(world, manifest(github));
    assert.deepEqual(ids(made.steps), []);
    assert.equal('key' in (made.plan.baselineRefresh[0]?.managed ?? {}), false);
  });

  it('creates again what is proved gone, and leaves alone what cannot be seen', () => {
    const world = settled();
    world.clients = [];
    assert.equal(step(planIn(world, manifest(github)).steps, 'create OAuthClient/github').reason, 'gone');
    world.hidden.add('OAuth clients of acme');
    const made = planIn(world, manifest(github));
    assert.deepEqual(
      [ids(made.steps), made.plan.unknown.map((one) => one.address)],
      [[], ['OAuthClient/github']],
    );
  });

  it('stops at a temporary name of its address that no ledger knows', () => {
    const name = `${noncePrefix('acme', 'OAuthClient/github')}0011`;
    const made = planIn(pureWorld({ clients: [clientDocument('oc-7', { name })] }), manifest(github));
    assert.deepEqual([ids(made.steps), problems(made)], [[], ['interrupted-elsewhere']]);
    assert.ok(made.plan.problems[0]?.message.includes('oc-7'));
  });

  it('goes on with its own interrupted create, and cleans up what arrived late', () => {
    const nonce = `${noncePrefix('acme', 'OAuthClient/github')}0011`;
    const clients = [clientDocument('oc-7', { name: nonce })];
    const pending = { 'OAuthClient/github': { kind: 'OAuthClient', nonce, hash: 'h' } };
    const resumed = planIn(pureWorld({ clients, ledger: ledgerWith({}, { pending }) }), manifest(github));
    assert.deepEqual(
      resumed.steps.map((one) => [one.id, one.reason]),
      [['create OAuthClient/github', 'interrupted']],
    );
    const world = settled();
    world.clients.push(...clients);
    world.ledger = ledgerWith(
      { 'OAuthClient/github': clientInLedger('oc-1', values) },
      {
        tombstones: [
          { kind: 'OAuthClient', address: 'OAuthClient/github', nonce, since: '2026-01-01T00:00:00.000Z' },
        ],
      },
    );
    assert.deepEqual(ids(planIn(world, manifest(github)).steps), ['cleanup oc-7']);
  });

  it('asks before it cleans up what workspaces use, or may use, where the service can tell', () => {
    const nonce = `${noncePrefix('acme', 'OAuthClient/github')}0011`;
    const tombstone = { kind: 'OAuthClient', address: 'OAuthClient/github', nonce, since: '2026-01-01' };
    const world = pureWorld({
      clients: [clientDocument('oc-7', { name: nonce })],
      ledger: ledgerWith({}, { tombstones: [tombstone] }),
    });
    const asks = (profile: string, affected: Affected) => {
      const { inputs } = planIn(world, manifest(`${profile}runTriggers: []\n`));
      const { blockers, steps } = planAll(inputs, {}, undefined, affected);
      return [blockers.map(({ code }) => code), steps.flatMap(({ risks }) => risks.length)];
    };
    const telling = 'profile: hcp-terraform\n';
    assert.deepEqual(asks(telling, { 'oc-7': { count: 1, names: ['app'] } }), [['approval'], [1]]);
    assert.deepEqual(asks(telling, {}), [['approval'], [1]]);
    assert.deepEqual(asks(telling, { 'oc-7': { count: 0, names: [] } }), [[], [0]]);
    assert.deepEqual(asks('', {}), [[], [0]]);
  });

  it('says that a client waits for a person', () => {
    const made = planIn(settled({ oauthTokenIds: [] }), manifest(github));
    assert.deepEqual(notes(made), ['not-connected']);
  });
});
