/** What is looked at to plan: what manifests and ledger speak of, and nothing else. */
import assert from 'node:assert/strict';
import { emptyLedger, type Ledger } from '../../reconciler/ledger/ledger';
import { observationNeeds } from '../../reconciler/observation-needs';
import { registry } from '../../resources/registry';
import { clientInLedger, ledgerWith, manifest, triggerInLedger } from '../support/pure-world';

const github = `oauthClients:
  github: { name: GitHub, serviceProvider: provider_a, httpUrl: https://a.example, apiUrl: https://a.example/api }
`;

describe('what planning looks at', () => {
  const clients = 'OAuth clients of acme';
  const rows: {
    what: string;
    text: string;
    ledger?: Ledger;
    ids: (string | undefined)[];
    forced: string[];
  }[] = [
    {
      what: 'no client where only triggers are wanted',
      text: 'runTriggers: [{ target: ws-a, source: ws-b }]\n',
      ids: [undefined],
      forced: [],
    },
    { what: 'all clients where one is wanted, for it may exist', text: github, ids: [], forced: [clients] },
    {
      what: 'the id of an entry',
      text: github.replace('{ name', '{ id: oc-7, name'),
      ids: ['oc-7'],
      forced: [clients],
    },
    {
      what: 'the whole list around an exact set',
      text: 'runTriggers: [{ target: ws-a, sources: [] }, { source: ws-b, targets: [] }]\n',
      ids: [],
      forced: ['run triggers of ws-a (inbound)', 'run triggers of ws-b (outbound)'],
    },
    {
      what: 'a client of the ledger and what it replaced',
      text: 'runTriggers: []\n',
      ledger: ledgerWith({ 'OAuthClient/a': clientInLedger('oc-1', {}, { replaces: 'oc-0' }) }),
      ids: ['oc-1', 'oc-0'],
      forced: [],
    },
    {
      what: 'the clients where a create of one was interrupted',
      text: 'runTriggers: []\n',
      ledger: ledgerWith(
        {},
        { pending: { 'OAuthClient/a': { kind: 'OAuthClient', nonce: 'n', hash: 'h' } } },
      ),
      ids: [],
      forced: [clients],
    },
    {
      what: 'the pair of a link whose create was interrupted',
      text: 'runTriggers: []\n',
      ledger: ledgerWith(
        {},
        {
          pending: {
            'RunTrigger/ws-a/ws-b': { kind: 'RunTrigger', nonce: 'RunTrigger/ws-a/ws-b', hash: 'h' },
          },
        },
      ),
      ids: [undefined],
      forced: [],
    },
  ];
  for (const { what, text, ledger, ids, forced } of rows) {
    it(`is ${what}`, () => {
      const needs = observationNeeds(manifest(text), ledger ?? emptyLedger('acme'), registry);
      assert.deepEqual(
        needs.expected.map((one) => one.id),
        ids,
      );
      assert.deepEqual(
        needs.forced.map(({ name }) => name),
        forced,
      );
    });
  }

  const held = ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') });
  const [other, same] = ['{ target: ws-c, source: ws-d }', '{ target: ws-a, source: ws-b }'];

  it('is a link of the ledger once, and as a wanted one where a line has it', () => {
    const sought = (text: string) =>
      observationNeeds(manifest(`runTriggers: [${text}]\n`), held, registry).expected.map(
        ({ id, isWanted = false }) => [id, isWanted],
      );
    assert.deepEqual(sought(same), [['rt-1', true]]);
    assert.deepEqual(sought(''), [['rt-1', false]]);
  });

  const pending = { kind: 'RunTrigger', nonce: 'RunTrigger/ws-c/ws-d', hash: 'h' };
  const lines: { what: string; lines: string; ledger?: Ledger; isNew: boolean }[] = [
    { what: 'a link that nobody made', lines: other, isNew: true },
    { what: 'not one of an exact set', lines: '{ target: ws-c, sources: [ws-d] }', isNew: false },
    { what: 'one beside what stays', lines: `${other}, ${same}`, ledger: held, isNew: true },
    { what: 'not one that the ledger holds', lines: same, ledger: held, isNew: false },
    { what: 'one that has no end in common with what goes', lines: other, ledger: held, isNew: true },
    {
      what: 'not one that may be meant in place of what goes',
      lines: '{ target: ws-c, source: ws-b }',
      ledger: held,
      isNew: false,
    },
    {
      what: 'not one whose create was begun',
      lines: other,
      ledger: ledgerWith({}, { pending: { 'RunTrigger/ws-c/ws-d': pending } }),
      isNew: false,
    },
  ];
  for (const { what, lines: text, ledger = emptyLedger('acme'), isNew } of lines) {
    it(`leaves it to the create what its other end is for ${what}`, () => {
      const { expected } = observationNeeds(manifest(`runTriggers: [${text}]\n`), ledger, registry);
      assert.equal(expected[0]?.isNew === true, isNew);
    });
  }
});
