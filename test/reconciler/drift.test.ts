/** Drift is what others did since the last apply; what the manifests want meanwhile is only mentioned. */
import assert from 'node:assert/strict';
import { driftOf } from '../../reconciler/drift';
import { renderDrift } from '../../reconciler/render/drift';
import { attachmentObject } from '../support/ledger-samples';
import { github, values } from '../support/plan-samples';
import {
  applyPurely,
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  type PureWorld,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../support/pure-world';

const trigger = 'runTriggers: [{ target: ws-a, source: ws-b }]\n';

function driftIn(world: PureWorld, text: string) {
  const { inputs, plan } = planIn(world, manifest(text));
  return driftOf(inputs, plan);
}

/** acme with one client that is ours: what the ledger remembers, and what is there now. */
const client = (baseline: object = {}, there: Parameters<typeof clientDocument>[1] = {}) =>
  pureWorld({
    clients: [clientDocument('oc-1', there)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', { ...values, ...baseline }) }),
  });

/** acme with one trigger that is ours. */
const linked = (triggers = [triggerDocument('rt-1', 'ws-b', 'ws-a')]) =>
  pureWorld({
    triggers,
    ledger: ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') }),
  });

describe('drift', () => {
  it('is nothing where everything is as it was applied', () => {
    assert.deepEqual(driftIn(client(), github), {
      organization: 'acme',
      items: [],
      unknown: [],
      pending: [],
      problems: [],
    });
  });

  it('tells what a managed field was and is, and takes no edit of the manifest for it', () => {
    const world = client({}, { name: 'Theirs' });
    const drift = driftIn(world, github.replace('apiUrl: https', 'key: new\n    apiUrl: https'));
    assert.deepEqual(drift.items, [
      {
        address: 'OAuthClient/github',
        kind: 'OAuthClient',
        objectId: 'oc-1',
        state: 'changed',
        fields: [{ field: 'name', was: 'GitHub', is: 'Theirs' }],
        evidence: [],
      },
    ]);
    assert.deepEqual(drift.pending, [], 'an address that drifted is not listed twice');
  });

  it('lists an edit of the manifest without counting it', () => {
    const drift = driftIn(client(), github.replace('name: GitHub', 'name: Ours'));
    assert.deepEqual(
      [drift.items, drift.pending],
      [[], [{ address: 'OAuthClient/github', action: 'update' }]],
    );
  });

  it('lists a replacement once', () => {
    const drift = driftIn(client(), github.replace(/httpUrl: .*/, 'httpUrl: https://other.example.com'));
    assert.deepEqual(drift.pending, [{ address: 'OAuthClient/github', action: 'replace' }]);
  });

  it('does not look at a field that the manifest has given up', () => {
    assert.deepEqual(driftIn(client({ key: 'old' }, { key: 'theirs' }), github).items, []);
  });

  it('of an attachment is read off the page of its client where the list is late', () => {
    const text = `${github}    projects: [prj-1]\n`;
    const world = client({}, { projectIds: ['prj-1'] });
    world.unlisted.add('oc-1');
    const { steps } = planIn(world, manifest(text));
    assert.deepEqual(
      steps.map((step) => step.id),
      ['adopt ProjectAttachment/github/prj-1'],
    );
    applyPurely(world, planIn(world, manifest(text)).plan);
    assert.deepEqual(driftIn(world, text).items, []);
    world.clients = [clientDocument('oc-1')];
    assert.deepEqual(
      driftIn(world, text).items.map(({ state, evidence }) => [state, evidence]),
      [['gone', ['OAuth clients of acme: read whole, without it', 'oc-1: its page is without it']]],
    );
  });

  it('compares sets without their order', () => {
    const world = client({ projectIds: ['prj-2', 'prj-1'] }, { projectIds: ['prj-1', 'prj-2'] });
    const text = `${github}    projects: [prj-1, prj-2]\n`;
    const { inputs, plan } = planIn(world, manifest(text));
    assert.deepEqual(
      driftOf(inputs, plan).items.filter((item) => item.state === 'changed'),
      [],
    );
  });

  it('calls a client gone with the list that lacks it and the Show that did not find it', () => {
    const world = client();
    world.clients = [];
    assert.deepEqual(driftIn(world, github).items, [
      {
        address: 'OAuthClient/github',
        kind: 'OAuthClient',
        objectId: 'oc-1',
        state: 'gone',
        fields: [],
        evidence: ['OAuth clients of acme: read whole, without it', 'oc-1: answers "not found"'],
      },
    ]);
  });

  it('calls a trigger gone, and one more in an exact set unmanaged', () => {
    const world = linked([triggerDocument('rt-2', 'ws-c', 'ws-a')]);
    const drift = driftIn(world, 'runTriggers: [{ target: ws-a, sources: [ws-b] }]\n');
    assert.deepEqual(
      drift.items.map(({ address, objectId, state }) => [address, objectId, state]),
      [
        ['RunTrigger/ws-a/ws-b', 'rt-1', 'gone'],
        ['RunTrigger/ws-a/ws-c', 'rt-2', 'unmanaged'],
      ],
    );
    assert.match(drift.items[1]?.evidence.join() ?? '', /exact set|sources/);
  });

  it('does not call ours unmanaged that an edit takes out of an exact set', () => {
    const drift = driftIn(linked(), 'runTriggers: [{ target: ws-a, sources: [] }]\n');
    assert.deepEqual(
      [drift.items, drift.pending],
      [[], [{ address: 'RunTrigger/ws-a/ws-b', action: 'delete' }]],
    );
  });

  it('counts what was changed elsewhere also where its line was dropped since', () => {
    const world = linked([]);
    assert.deepEqual(
      driftIn(world, '').items.map(({ address, objectId, state }) => [address, objectId, state]),
      [['RunTrigger/ws-a/ws-b', 'rt-1', 'gone']],
    );
    assert.deepEqual(driftIn(world, '').pending, [], 'it is not listed twice');
    const changed = driftIn(client({}, { name: 'Theirs' }), '');
    assert.deepEqual(
      changed.items.map(({ address, state, fields }) => [address, state, fields]),
      [['OAuthClient/github', 'changed', [{ field: 'name', was: 'GitHub', is: 'Theirs' }]]],
    );
    assert.deepEqual(driftIn(client(), '').items, [], 'a dropped line alone is an edit');
  });

  it('counts a client that is missing, and its attachments, where all their lines were dropped or let go', () => {
    const world = pureWorld({
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'ProjectAttachment/oc-1/prj-1': {
          ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
          kind: 'ProjectAttachment',
        },
      }),
    });
    for (const text of ['', 'forget: [OAuthClient/github]\n']) {
      const { items, pending } = driftIn(world, text);
      assert.deepEqual(
        items.map(({ address, state }) => [address, state]),
        [
          ['OAuthClient/github', 'gone'],
          ['ProjectAttachment/github/prj-1', 'gone'],
        ],
      );
      assert.deepEqual(pending, []);
    }
  });

  it('says of what is as the manifests want it that an interrupted apply may have done it', () => {
    const renamed = driftIn(client({}, { name: 'New' }), github.replace('GitHub', 'New'));
    assert.deepEqual(
      renamed.items.map(({ state, asDesired }) => [state, asDesired]),
      [['changed', true]],
    );
    const dropped = driftIn(linked([]), '');
    assert.deepEqual(
      dropped.items.map(({ state, asDesired }) => [state, asDesired]),
      [['gone', true]],
    );
    const theirs = driftIn(client({}, { name: 'Theirs' }), github.replace('GitHub', 'New'));
    assert.equal(theirs.items[0]?.asDesired, undefined);
    assert.equal(driftIn(linked([]), trigger).items[0]?.asDesired, undefined);
  });

  it('shows what is gone and waits to be made again once, not as unknown too', () => {
    const attached = ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values),
      'ProjectAttachment/oc-1/prj-1': attachmentObject('oc-1', 'prj-1'),
    });
    const world = pureWorld({
      clients: [clientDocument('oc-1', { httpUrl: 'https://other.example' })],
      ledger: attached,
    });
    const text = `${github}    id: oc-9\nprojectAttachments: [{ oauthClient: github, project: prj-1 }]\n`;
    const { items, unknown, problems } = driftIn(world, text);
    assert.deepEqual(
      items.filter(({ state }) => state === 'gone').map(({ address }) => address),
      ['ProjectAttachment/github/prj-1'],
    );
    assert.deepEqual([unknown, problems.map(({ address }) => address)], [[], ['OAuthClient/github']]);
  });

  it('calls the second object of a lost create ours, and no edit', () => {
    const world = linked([triggerDocument('rt-1', 'ws-b', 'ws-a'), triggerDocument('rt-2', 'ws-b', 'ws-a')]);
    const [nonce = ''] = Object.keys(world.ledger.objects);
    const since = '2026-01-02T03:04:05.678Z';
    const tombstones = [{ kind: 'RunTrigger', address: nonce, nonce, since }];
    const drift = driftIn({ ...world, ledger: { ...world.ledger, tombstones } }, trigger);
    const leftover = 'rt-2: a create whose answer was lost made it twice';
    const pending = [{ address: 'RunTrigger/ws-a/ws-b', action: 'delete' as const, leftover }];
    assert.deepEqual([drift.items, drift.pending], [[], pending]);
    assert.equal(
      renderDrift(drift, { color: false, width: null }),
      `Left by our own creates (not drift; the next apply clears it away)
    · RunTrigger/ws-a/ws-b  rt-2: a create whose answer was lost made it twice

No drift. 1 leftover of our own creates.
`,
    );
  });

  it('calls nothing gone that cannot be seen', () => {
    const world = linked([]);
    world.hidden.add('run triggers of ws-a (inbound)').add('run triggers of ws-b (outbound)');
    const drift = driftIn(world, trigger);
    assert.deepEqual([drift.items, drift.unknown.map((one) => one.address)], [[], ['RunTrigger/ws-a/ws-b']]);
  });

  it('counts no new line of the manifest and no entry with a problem', () => {
    const world = pureWorld({ clients: [clientDocument('oc-9')] });
    const drift = driftIn(world, `${github}${trigger}`);
    assert.deepEqual(drift.items, []);
    assert.deepEqual(drift.pending, [{ address: 'RunTrigger/ws-a/ws-b', action: 'create' }]);
    assert.deepEqual(
      drift.problems.map((one) => one.address),
      ['OAuthClient/github'],
    );
  });

  it('sees an attachment through its client, by the id that the ledger has for it', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-1', { projectIds: [] })],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'ProjectAttachment/oc-1/prj-1': {
          ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
          kind: 'ProjectAttachment',
        },
      }),
    });
    const text = `${github}projectAttachments: [{ oauthClient: github, project: prj-1 }]\n`;
    assert.deepEqual(
      driftIn(world, text).items.map(({ address, state, evidence }) => [address, state, evidence]),
      [['ProjectAttachment/github/prj-1', 'gone', ['OAuth clients of acme: read whole, without it']]],
    );
  });
});
