/** Rarely met corners of a plan: what cannot be seen after a replacement, what is missing, and what approvals say. */
import assert from 'node:assert/strict';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  type PureWorld,
  planAll,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

const elsewhere = github.replace('//git.example.com\n', '//other.example.com\n');
const nothing = 'runTriggers: []\n';

type Made = ReturnType<typeof planIn>;
const ids = (made: Made) => made.steps.map((step) => step.id);

/** acme with a client that is ours. */
const settled = (more: object = {}, there: object = {}) =>
  pureWorld({
    clients: [clientDocument('oc-1', there)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values, more) }),
  });

describe('a ledger that has one object under two addresses, as after a merge by hand', () => {
  it('stops the second address', () => {
    const object = clientInLedger('oc-1', values);
    const world = settled();
    world.ledger = ledgerWith({ 'OAuthClient/github': object, 'OAuthClient/hub': object });
    const made = planIn(
      world,
      manifest(`${github}${github.split('\n').slice(1).join('\n').replace('github:', 'hub:')}`),
    );
    assert.deepEqual(
      made.plan.problems.map(({ rule, address }) => [rule, address]),
      [['id-claimed-twice', 'OAuthClient/hub']],
    );
  });
});

describe('what destroying a client would do', () => {
  function told(affected: { count: number; names: string[] } | undefined): string {
    const { inputs } = planIn(settled(), manifest(nothing));
    const known = affected === undefined ? {} : { 'oc-1': affected };
    return planAll(inputs, {}, undefined, known).steps[0]?.risks[0] ?? '';
  }
  it('is said as exactly as the service can tell', () => {
    assert.match(
      told(undefined),
      /^every workspace that uses it loses its VCS link and must be reconnected by hand \(this service does not say how many there are\)$/,
    );
    assert.equal(told({ count: 0, names: [] }), 'no workspace uses it at present');
    assert.match(
      told({ count: 2, names: ['app', 'web'] }),
      /^2 workspaces \(app, web\) lose their VCS links and /,
    );
    assert.match(
      told({ count: 30, names: ['app', 'web'] }),
      /^30 workspaces \(app, web, …\) lose their VCS links and /,
    );
  });
});

describe('an approval', () => {
  it('for another id than the object has is named in the stop, with the line that would do', () => {
    const text = `${nothing}approved: [{ destroy: OAuthClient/github, id: oc-0 }]\n`;
    const [stop] = planIn(settled(), manifest(text)).plan.blockers;
    assert.equal(stop?.code, 'approval');
    assert.match(stop?.message ?? '', /the line there approves oc-0, and the object is oc-1 now/);
    assert.match(stop?.message ?? '', /- \{ destroy: OAuthClient\/github, id: oc-1 \}/);
  });

  it('that nothing needs any more is a warning', () => {
    const text = `${github}approved: [{ replace: OAuthClient/github, id: oc-1 }]\n`;
    const { warnings } = planIn(settled(), manifest(text)).plan;
    assert.deepEqual(
      warnings.map((one) => one.rule),
      ['obsolete-line'],
    );
    assert.match(warnings[0]?.message ?? '', /nothing is to be replaced as OAuthClient\/github with id oc-1/);
  });
});

describe('a client that must be created', () => {
  it('is refused with every field that a create needs and the manifest lacks', () => {
    const text = github.replace('provider_a', 'provider_c_server');
    const { problems } = planIn(pureWorld(), manifest(text)).plan;
    assert.deepEqual(
      problems.map((one) => one.rule),
      ['missing-for-create'],
    );
    assert.match(problems[0]?.message ?? '', /`privateKey` is missing/);
  });

  it('names one possible match as one, several as several', () => {
    const alike = (count: number) =>
      planIn(
        pureWorld({ clients: Array.from({ length: count }, (_, index) => clientDocument(`oc-${index}`)) }),
        manifest(github),
      ).plan.problems[0]?.message ?? '';
    assert.match(alike(1), /^an object that looks the same exists: oc-0/);
    assert.match(alike(2), /^2 objects that look the same exist: oc-0.*; oc-1/);
  });
});

describe('many wanted objects that are missing', () => {
  it('are named up to five', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const objects = Object.fromEntries(
      names.map((name) => [
        `RunTrigger/ws-${name}/ws-x`,
        triggerInLedger(`rt-${name}`, 'ws-x', `ws-${name}`),
      ]),
    );
    const lines = names.map((name) => `  - { target: ws-${name}, source: ws-x }\n`).join('');
    const made = planIn(pureWorld({ ledger: ledgerWith(objects) }), manifest(`runTriggers:\n${lines}`));
    assert.match(
      made.plan.blockers[0]?.message ?? '',
      /^nothing that this ledger holds was found \(RunTrigger\/ws-a\/ws-x, .*RunTrigger\/ws-e\/ws-x, …\)/,
    );
  });

  it('are one where the links of a client are missing with it', () => {
    const attachments = ['prj-1', 'prj-2'].map((projectId) => {
      const id = `oc-1/${projectId}`;
      const held = clientInLedger(id, { oauthClientId: 'oc-1', projectId });
      return [`ProjectAttachment/${id}`, { ...held, kind: 'ProjectAttachment' }];
    });
    const objects = Object.fromEntries([
      ['OAuthClient/github', clientInLedger('oc-1', values)],
      ...attachments,
    ]);
    const made = planIn(pureWorld({ ledger: ledgerWith(objects) }), manifest(github));
    assert.deepEqual(made.plan.blockers, []);
  });
});

describe('what was replaced and cannot be seen', () => {
  /** The new client is there; whether the old one is, only a list could tell that the token may not read. */
  function hidden(): PureWorld {
    const world = pureWorld({
      clients: [clientDocument('oc-2')],
      ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-2', values, { replaces: 'oc-1' }) }),
    });
    world.hidden.add('OAuth clients of acme');
    return world;
  }

  for (const [what, text] of [
    ['wanted as it is', github],
    ['to be replaced once more', elsewhere],
    ['not wanted any more', nothing],
  ] as const) {
    it(`leaves the address alone when it is ${what}`, () => {
      const made = planIn(hidden(), manifest(text));
      assert.deepEqual([ids(made), made.plan.unknown.length], [[], 1]);
    });
  }
});

describe('a protected client', () => {
  it('is neither destroyed nor replaced, whatever is approved', () => {
    const flags = { approve: true } as const;
    const codes = (world: PureWorld, text: string) =>
      planIn(world, manifest(text), flags).plan.blockers.map((one) => one.code);
    assert.deepEqual(codes(settled({ protect: true }), nothing), ['protected']);
    assert.deepEqual(codes(settled({ protect: true }), `${elsewhere}    protect: true\n`), ['protected']);
    assert.deepEqual(codes(settled(), elsewhere), []);
  });

  it('stays protected until an applied `protect: false`: leaving the line out keeps it', () => {
    const approved = 'approved: [{ replace: OAuthClient/github, id: oc-1 }]\n';
    const codes = (text: string) =>
      planIn(settled({ protect: true }), manifest(text)).plan.blockers.map((one) => one.code);
    assert.deepEqual(codes(`${elsewhere}${approved}`), ['protected']);
    assert.deepEqual(codes(`${elsewhere}    protect: false\n${approved}`), ['protected']);
    assert.deepEqual(planIn(settled({ protect: true }), manifest(github)).steps, []);
    const renamed = planIn(settled({ protect: true }), manifest(github.replace('name: GitHub', 'name: Git')));
    assert.deepEqual(
      renamed.steps.map(({ id, protect }) => [id, protect]),
      [['update OAuthClient/github', true]],
    );
    const lifted = planIn(settled({ protect: true }), manifest(`${github}    protect: false\n`));
    assert.deepEqual(
      lifted.steps.map(({ protect, changes }) => [protect, changes]),
      [[false, [{ field: 'protect', from: true, to: false, local: true }]]],
    );
  });

  it('stays protected when it is made again, moved, or adopted with the line', () => {
    const protects = (world: PureWorld, text: string) =>
      planIn(world, manifest(text)).steps.map(({ id, protect }) => [id, protect]);
    const missing = settled({ protect: true });
    missing.clients = [];
    assert.deepEqual(protects(missing, github), [['create OAuthClient/github', true]]);
    assert.deepEqual(protects(settled({ protect: true }), github.replace('github:', 'hub:')), [
      ['move OAuthClient/hub', true],
    ]);
    const found = pureWorld({ clients: [clientDocument('oc-1')] });
    const adopting = `${github}    id: oc-1\n`;
    assert.deepEqual(protects(found, adopting), [['adopt OAuthClient/github', false]]);
    assert.deepEqual(protects(found, `${adopting}    protect: true\n`), [['adopt OAuthClient/github', true]]);
  });

  it('keeps what it replaced, when it is missing itself', () => {
    const world = settled({ protect: true, replaces: 'oc-0' });
    world.clients = [clientDocument('oc-0', { httpUrl: 'https://old.example' })];
    for (const text of [github, nothing]) {
      const { blockers } = planIn(world, manifest(text)).plan;
      assert.ok(
        blockers.some(({ code, message }) => code === 'protected' && message.includes('oc-0')),
        text,
      );
    }
  });

  it('that is protected from now on is a change of the ledger alone', () => {
    const made = planIn(settled(), manifest(`${github}    protect: true\n`));
    assert.deepEqual(
      made.steps.map(({ id, reason, changes }) => [id, reason, changes]),
      [
        [
          'update OAuthClient/github',
          'protection-changed',
          [{ field: 'protect', from: false, to: true, local: true }],
        ],
      ],
    );
  });
});

describe('the address of a link that is not wanted any more', () => {
  it('is written with the aliases and clients that the manifests have', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-1', { projectIds: ['prj-1', 'prj-2'] })],
      triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a')],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'ProjectAttachment/oc-1/prj-1': {
          ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
          kind: 'ProjectAttachment',
        },
        'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
      }),
    });
    const text = `aliases: { workspaces: { app: ws-a }, projects: { payments: prj-1 } }\n${github}`;
    assert.deepEqual(ids(planIn(world, manifest(text))).sort(), [
      'delete ProjectAttachment/github/payments',
      'delete RunTrigger/app/ws-b',
    ]);
  });
});

describe('a secret that the ledger cannot compare', () => {
  const text = `${github}    secret: { fromEnv: S }\n`;
  const stated = (state: 'same' | 'changed' | 'new' | 'unverified' | 'not-compared', writeSecrets = false) =>
    planIn(settled(), manifest(text), { writeSecrets }, { 'OAuthClient/github': { secret: state } });

  it('is noted, and written only when told to', () => {
    assert.deepEqual(
      (['same', 'unverified', 'not-compared'] as const).map((state) => [
        ids(stated(state)),
        stated(state).plan.notes.map((one) => one.code),
      ]),
      [
        [[], []],
        [[], ['secret-unverified']],
        [[], ['secret-not-compared']],
      ],
    );
    const [written] = stated('unverified', true).steps;
    assert.deepEqual([written?.reason, written?.changes[0]?.secret], ['secret-unverified', 'unverified']);
    assert.equal(stated('changed').steps[0]?.reason, 'secret-changed');
  });

  it('is written because the manifest changed, where the entry had none before', () => {
    const [step] = stated('new').steps;
    assert.deepEqual([step?.action, step?.reason], ['update', 'manifest-changed']);
    assert.deepEqual(
      step?.changes.map(({ field, secret }) => [field, secret]),
      [['secret', 'new']],
    );
    assert.deepEqual(stated('new').plan.notes, []);
  });

  it('is not compared where nothing is known of it', () => {
    const made = planIn(settled(), manifest(text));
    assert.deepEqual(
      made.plan.notes.map((one) => one.code),
      ['secret-not-compared'],
    );
  });
});
