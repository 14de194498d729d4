/** What a plan must never say: situations in which a careless one would lose, double or destroy something. */
import assert from 'node:assert/strict';
import { type Observed, observationOf } from '../../../observation/evidence';

import type { Step } from '../../../reconciler/plan/plan';
import { noncePrefix } from '../../../resources/names';
import { oauthClient } from '../../../resources/oauth-client';
import { values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

const fields = `    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
`;
const github = `oauthClients:\n  github:\n${fields}`;
const attached = 'projectAttachments: [{ oauthClient: github, project: prj-1 }]\n';
const elsewhere = (text: string): string => text.replace('//git.example.com\n', '//other.example.com\n');

const ids = (steps: readonly Step[]): string[] => steps.map((step) => step.id);
type Made = ReturnType<typeof planIn>;
const problems = (made: Made): string[] => made.plan.problems.map((one) => one.rule);
const blockers = (made: Made): string[] => made.plan.blockers.map((one) => one.code);

const attachmentInLedger = (client: string, project: string) => ({
  ...clientInLedger(`${client}/${project}`, { oauthClientId: client, projectId: project }),
  kind: 'ProjectAttachment',
});

/** acme with one client and one attachment that are ours and unchanged. */
const settled = (inLedger: object = {}, more: Parameters<typeof clientDocument>[1] = {}) =>
  pureWorld({
    clients: [clientDocument('oc-1', { projectIds: ['prj-1'], ...more })],
    ledger: ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values, inLedger),
      'ProjectAttachment/oc-1/prj-1': attachmentInLedger('oc-1', 'prj-1'),
    }),
  });

describe('a client with a problem', () => {
  it('keeps its attachments, for nothing that refers to it is planned', () => {
    const made = planIn(settled(), manifest(`${github}    id: oc-2\n${attached}`));
    assert.deepEqual([problems(made), ids(made.steps)], [['id-differs'], []]);
    assert.deepEqual(
      made.plan.unknown.map((one) => one.address),
      ['ProjectAttachment/github/prj-1'],
    );
  });

  it('keeps them also when it cannot be replaced', () => {
    const world = settled();
    world.clients.push(clientDocument('oc-9', { httpUrl: 'https://other.example.com' }));
    const made = planIn(world, manifest(`${elsewhere(github)}${attached}`));
    assert.deepEqual([problems(made), ids(made.steps)], [['possible-match'], []]);
  });
});

describe('a protected client', () => {
  it('is not replaced even with approval', () => {
    const approved = 'approved: [{ replace: OAuthClient/github, id: oc-1 }]\n';
    const text = `${elsewhere(github)}    protect: true\n${approved}`;
    assert.deepEqual(blockers(planIn(settled({ protect: true }), manifest(text))), ['protected']);
    assert.deepEqual(blockers(planIn(settled(), manifest(text))), ['protected']);
  });
});

describe('a replacement that was interrupted', () => {
  const half = () =>
    pureWorld({
      clients: [
        clientDocument('oc-1', { projectIds: ['prj-1'] }),
        clientDocument('oc-2', { httpUrl: 'https://other.example.com' }),
      ],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger(
          'oc-2',
          { ...values, httpUrl: 'https://other.example.com' },
          { replaces: 'oc-1' },
        ),
        'ProjectAttachment/oc-1/prj-1': attachmentInLedger('oc-1', 'prj-1'),
      }),
    });

  it('goes on: links to the new one, then the old one, whose links go with it', () => {
    const made = planIn(half(), manifest(`${elsewhere(github)}${attached}`));
    assert.deepEqual(ids(made.steps), [
      'create ProjectAttachment/github/prj-1',
      'delete OAuthClient/github (replaced oc-1)',
    ]);
  });

  it('does not lose sight of the first one when it is replaced once more', () => {
    const text = github.replace('//git.example.com\n', '//third.example.com\n');
    const made = planIn(half(), manifest(`${text}${attached}`), { approve: true });
    assert.deepEqual(ids(made.steps), [
      'delete OAuthClient/github (replaced oc-1)',
      'replace OAuthClient/github',
      'create ProjectAttachment/github/prj-1',
      'delete OAuthClient/github (replaced oc-2)',
    ]);
    assert.deepEqual(blockers(made), []);
  });

  it('asks for both ids when it is replaced once more without approval', () => {
    const text = github.replace('//git.example.com\n', '//third.example.com\n');
    const made = planIn(half(), manifest(text));
    const lines = made.plan.blockers.map((one) => one.message);
    assert.equal(lines.filter((one) => one.includes('id: oc-1 }')).length, 1);
    assert.equal(lines.filter((one) => one.includes('id: oc-2 }')).length, 1);
  });

  it('leaves neither behind when the entry goes, and needs approval for both', () => {
    const made = planIn(half(), manifest('runTriggers: []\n'));
    assert.deepEqual(made.steps.map((one) => [one.action, one.objectId, one.approval?.given]).sort(), [
      ['delete', 'oc-1', false],
      ['delete', 'oc-2', false],
    ]);
    assert.deepEqual(blockers(made), ['approval', 'approval']);
  });

  it('still destroys the old one when the new one was destroyed by hand', () => {
    const world = half();
    world.clients = world.clients.filter((one) => one.id !== 'oc-2');
    const made = planIn(world, manifest(`${elsewhere(github)}${attached}`));
    assert.deepEqual(ids(made.steps), [
      'create OAuthClient/github',
      'create ProjectAttachment/github/prj-1',
      'delete OAuthClient/github (replaced oc-1)',
    ]);
  });

  it('is moved before the old one goes', () => {
    const text = elsewhere(github).replace('github:', 'hub:');
    const moved = 'moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]\n';
    const made = planIn(half(), manifest(`${text}${moved}`));
    const last = made.steps.find((one) => one.reason === 'replaced');
    assert.ok(last?.needs.includes('move OAuthClient/hub'));
  });
});

describe('a replacement', () => {
  it('carries over an unmanaged attachment that another client of the manifest has too', () => {
    const world = settled({}, { projectIds: ['prj-1', 'prj-9'] });
    const other = github.replace('oauthClients:\n', '').replace('github', 'lab').replaceAll('git.', 'lab.');
    const links = `${attached.replace(']', ', { oauthClient: lab, project: prj-9 }]')}`;
    const made = planIn(world, manifest(`${elsewhere(github)}${other}${links}`));
    const replace = made.steps.find((one) => one.action === 'replace');
    assert.deepEqual(replace?.inputs.projectIds, ['prj-9']);
  });
});

describe('an object left by a lost runner', () => {
  const left = `${noncePrefix('acme', 'OAuthClient/github')}00ff`;

  it('is adopted once its id stands in the manifest, as the plan says', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1', { name: left })] });
    assert.deepEqual(problems(planIn(world, manifest(github))), ['interrupted-elsewhere']);
    const made = planIn(world, manifest(`${github}    id: oc-1\n`));
    assert.deepEqual([problems(made), ids(made.steps)], [[], ['adopt OAuthClient/github']]);
  });

  it('is not cleaned up while it is adopted', () => {
    const pending = { 'OAuthClient/github': { kind: 'OAuthClient', nonce: left, hash: 'h' } };
    const world = pureWorld({
      clients: [clientDocument('oc-1', { name: left })],
      ledger: ledgerWith({}, { pending }),
    });
    const made = planIn(world, manifest(`${github}    id: oc-1\n`));
    assert.deepEqual(ids(made.steps), ['adopt OAuthClient/github']);
  });

  const since = '2026-01-01T00:00:00.000Z';
  const remembered = {
    'a create under way': {
      pending: { 'OAuthClient/gone': { kind: 'OAuthClient', nonce: left, hash: 'h' } },
    },
    'an unconfirmed create': {
      tombstones: [{ kind: 'OAuthClient', address: 'OAuthClient/gone', nonce: left, since }],
    },
  };
  for (const [what, ledger] of Object.entries(remembered)) {
    it(`is left alone while an entry names it that cannot adopt it: ${what}`, () => {
      const world = pureWorld({
        clients: [clientDocument('oc-1', { name: left, httpUrl: 'https://other.example.com' })],
        ledger: ledgerWith({}, ledger),
      });
      const made = planIn(world, manifest(`${github}    id: oc-1\n`));
      assert.deepEqual([problems(made), ids(made.steps)], [['cannot-adopt'], []]);
    });
  }
});

describe('a create that nobody goes on with', () => {
  const nonce = `${noncePrefix('acme', 'OAuthClient/github')}00ff`;
  const pending = { 'OAuthClient/github': { kind: 'OAuthClient', nonce, hash: 'h' } };
  const left = clientDocument('oc-9', { name: nonce, httpUrl: 'https://other.example.com' });

  it('is cleaned up before an update of its address ends the intent', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-1'), left],
      ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values) }, { pending }),
    });
    const made = planIn(world, manifest(github.replace('name: GitHub', 'name: Hub')));
    assert.deepEqual(
      made.steps.map(({ id, needs }) => [id, needs]),
      [
        ['cleanup oc-9', []],
        ['update OAuthClient/github', ['cleanup oc-9']],
      ],
    );
  });

  it('is forgotten before another object moves to its address, also when it left nothing', () => {
    const ledger = ledgerWith({ 'OAuthClient/old': clientInLedger('oc-1', values) }, { pending });
    const text = `${github}moved: [{ from: OAuthClient/old, to: OAuthClient/github }]\n`;
    const made = planIn(pureWorld({ clients: [clientDocument('oc-1')], ledger }), manifest(text));
    assert.deepEqual(
      made.steps.map(({ id, needs }) => [id, needs]),
      [
        ['cleanup OAuthClient/github', []],
        ['move OAuthClient/github', ['cleanup OAuthClient/github']],
      ],
    );
  });

  it('is cleaned up before the address adopts another object', () => {
    const world = pureWorld({ clients: [clientDocument('oc-1'), left], ledger: ledgerWith({}, { pending }) });
    const made = planIn(world, manifest(`${github}    id: oc-1\n`));
    assert.deepEqual(
      made.steps.map(({ id, needs }) => [id, needs]),
      [
        ['cleanup oc-9', []],
        ['adopt OAuthClient/github', ['cleanup oc-9']],
      ],
    );
  });
});

describe('moves that go on in each other', () => {
  const chain =
    'moved:\n  - { from: OAuthClient/a, to: OAuthClient/b }\n  - { from: OAuthClient/b, to: OAuthClient/github }\n';
  const warnings = (made: Made): string[] => made.plan.warnings.map((one) => one.message);
  const held = (address: string) =>
    pureWorld({
      clients: [clientDocument('oc-1')],
      ledger: ledgerWith({ [address]: clientInLedger('oc-1', values) }),
    });

  it('lead an address from wherever it was to the last one', () => {
    const first = planIn(held('OAuthClient/a'), manifest(`${github}${chain}`));
    assert.deepEqual([first.steps.map((one) => one.movedFrom), warnings(first)], [['OAuthClient/a'], []]);
    const second = planIn(held('OAuthClient/b'), manifest(`${github}${chain}`));
    assert.deepEqual(
      second.steps.map((one) => one.movedFrom),
      ['OAuthClient/b'],
    );
    const spent = planIn(held('OAuthClient/github'), manifest(`${github}${chain}`));
    assert.deepEqual([ids(spent.steps), warnings(spent).length], [[], 2]);
  });

  it('may not lead nowhere, or in a circle', () => {
    const nowhere = 'moved: [{ from: OAuthClient/a, to: OAuthClient/b }]\n';
    const circle =
      'moved: [{ from: OAuthClient/a, to: OAuthClient/b }, { from: OAuthClient/b, to: OAuthClient/a }]\n';
    for (const text of [nowhere, circle])
      assert.throws(() => manifest(`${github}${text}`), /no manifest declares/);
  });
});

describe('a limit on sources', () => {
  const sources = (count: number) => Array.from({ length: count }, (_, index) => `ws-s${index}`);
  const steps = (count: number) => {
    const world = pureWorld({
      triggers: sources(count).map((one) => triggerDocument(`rt-${one}`, one, 'ws-app')),
    });
    const wanted = [...sources(count).slice(1), 'ws-new'];
    const text = `profile: hcp-terraform\nrunTriggers: [{ target: ws-app, sources: [${wanted.join(', ')}] }]\n`;
    return planIn(world, manifest(text))
      .steps.filter((one) => one.action !== 'adopt')
      .map((one) => one.action);
  };

  it('puts a delete first only where there is no room for what is added', () => {
    assert.deepEqual(
      [steps(19), steps(20)],
      [
        ['create', 'delete'],
        ['delete', 'create'],
      ],
    );
  });
});

describe('an absence', () => {
  it('of a link whose line came from another file is looked at by its id too', () => {
    const object = triggerInLedger('rt-1', 'ws-a', 'ws-b', { file: 'other.tether.yaml' });
    const world = pureWorld({ ledger: ledgerWith({ 'RunTrigger/ws-b/ws-a': object }) });
    const text = 'aliases: { workspaces: { b: ws-b } }\nrunTriggers: [{ target: b, source: ws-a }]\n';
    const made = planIn(world, manifest(text));
    assert.deepEqual(made.inputs.observed.shows, { 'rt-1': 'missing' });
  });

  it('of a client that a moved line brings from another file is looked at by its id too', () => {
    const object = clientInLedger('oc-1', values, { file: 'other.tether.yaml' });
    const world = pureWorld({ ledger: ledgerWith({ 'OAuthClient/old': object }) });
    const text = `${github}moved: [{ from: OAuthClient/old, to: OAuthClient/github }]\n`;
    const made = planIn(world, manifest(text));
    assert.deepEqual(made.inputs.observed.shows, { 'oc-1': 'missing' });
  });

  it('is no absence while nobody looked at the id', () => {
    const world = pureWorld();
    const { lists } = planIn(world, manifest(github)).inputs.observed;
    const expectation = { definition: oauthClient, key: { organization: 'acme', id: 'oc-1' }, id: 'oc-1' };
    const seen = (shows: Observed['shows']) =>
      observationOf({ address: '', lists, shows }, expectation).state;
    assert.deepEqual([seen({}), seen({ 'oc-1': 'missing' })], ['unknown', 'missing']);
  });
});
