/** Which ledger entry a wanted client takes over when its address is new: only one that leaves no doubt. */
import assert from 'node:assert/strict';
import type { LedgerObject } from '../../../reconciler/ledger/ledger';
import { values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
} from '../../support/pure-world';

const fields = `
    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
`;
const wanting = (...names: readonly string[]): string =>
  `oauthClients:\n${names.map((name) => `  ${name}:${fields}`).join('')}`;

/** A service and a ledger with these clients, alike but for what the rows say. */
const holding = (objects: Readonly<Record<string, LedgerObject>>) =>
  pureWorld({
    clients: Object.values(objects).map(({ id }) => clientDocument(id)),
    ledger: ledgerWith(objects),
  });

describe('a wanted client under a new address', () => {
  const gh = clientInLedger('oc-1', values);
  const rows: {
    what: string;
    text: string;
    objects: Readonly<Record<string, LedgerObject>>;
    moves: readonly string[];
  }[] = [
    {
      what: 'takes over the one abandoned entry with equal content',
      text: wanting('github'),
      objects: { 'OAuthClient/gh': gh },
      moves: ['OAuthClient/gh'],
    },
    {
      what: 'takes over none of two abandoned entries',
      text: wanting('github'),
      objects: { 'OAuthClient/gh': gh, 'OAuthClient/hub': clientInLedger('oc-2', values) },
      moves: [],
    },
    {
      what: 'shares one abandoned entry with nobody',
      text: wanting('one', 'two'),
      objects: { 'OAuthClient/gh': gh },
      moves: [],
    },
    {
      what: 'takes over nothing that another address still wants',
      text: wanting('gh', 'github'),
      objects: { 'OAuthClient/gh': gh },
      moves: [],
    },
    {
      what: 'takes over nothing that is to be forgotten',
      text: `${wanting('github')}forget: [OAuthClient/gh]\n`,
      objects: { 'OAuthClient/gh': gh },
      moves: [],
    },
    {
      what: 'takes over nothing with another value',
      text: wanting('github'),
      objects: { 'OAuthClient/gh': clientInLedger('oc-1', { ...values, key: 'k' }) },
      moves: [],
    },
    {
      what: 'takes over nothing whose secret it does not name',
      text: wanting('github'),
      objects: { 'OAuthClient/gh': clientInLedger('oc-1', values, { digests: { secret: 'd' } }) },
      moves: [],
    },
    {
      what: 'takes over nothing that had no secret where it names one',
      text: `${wanting('github')}    secret: { fromEnv: GITHUB_SECRET }\n`,
      objects: { 'OAuthClient/gh': gh },
      moves: [],
    },
    {
      what: 'takes over an adopted one whose secret nobody has verified yet',
      text: `${wanting('github')}    secret: { fromEnv: GITHUB_SECRET }\n`,
      objects: { 'OAuthClient/gh': clientInLedger('oc-1', values, { unverified: ['secret'] }) },
      moves: ['OAuthClient/gh'],
    },
    {
      what: 'takes over nothing when it names another id',
      text: `${wanting('github')}    id: oc-9\n`,
      objects: { 'OAuthClient/gh': gh },
      moves: [],
    },
  ];
  for (const { what, text, objects, moves } of rows) {
    it(what, () => {
      const steps = planIn(holding(objects), manifest(text)).steps.filter((step) => step.action === 'move');
      assert.deepEqual(
        steps.map((step) => step.movedFrom),
        moves,
      );
    });
  }

  it('makes no second one beside that which is let go, for nobody holds that afterwards', () => {
    const text = `${wanting('github')}forget: [OAuthClient/gh]\n`;
    const made = planIn(holding({ 'OAuthClient/gh': gh }), manifest(text));
    assert.deepEqual(
      [made.steps.map((one) => one.id), made.plan.problems.map((one) => one.rule)],
      [['forget OAuthClient/gh'], ['possible-match']],
    );
  });

  describe('to which a client of the ledger cannot move', () => {
    const hub = clientInLedger('oc-2', values);
    const held = { 'OAuthClient/gh': gh, 'OAuthClient/hub': hub };
    const moveToHub = 'moved: [{ from: OAuthClient/gh, to: OAuthClient/hub }]\n';
    const problem = [['move-clash', 'OAuthClient/hub']];

    /** Ids of the steps, and problems as rule and address. */
    const planned = (objects: Readonly<Record<string, LedgerObject>>, text: string) => {
      const { plan, steps } = planIn(holding(objects), manifest(text));
      return [steps.map((one) => one.id), plan.problems.map((one) => [one.rule, one.address])];
    };

    it('because the ledger has both: neither is touched, whatever differs', () => {
      const other = wanting('hub').replace('https://git.example.com\n', 'https://new.example.com\n');
      for (const text of [wanting('hub'), other]) {
        assert.deepEqual(planned(held, `${text}${moveToHub}`), [[], problem]);
      }
    });

    it('because two would move there: neither does', () => {
      const text = `${wanting('hub')}moved:
  - { from: OAuthClient/gh, to: OAuthClient/forge }
  - { from: OAuthClient/forge, to: OAuthClient/hub }
`;
      assert.deepEqual(planned({ 'OAuthClient/gh': gh, 'OAuthClient/forge': hub }, text), [[], problem]);
    });

    it('no third address takes over either of them', () => {
      const text = `${wanting('hub', 'forge').replace('name: GitHub', 'name: Hub')}${moveToHub}`;
      assert.deepEqual(planned(held, text), [['create OAuthClient/forge'], problem]);
    });

    it('and their attachments stay', () => {
      const attachment = clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' });
      const attached = {
        ...held,
        'ProjectAttachment/oc-1/prj-1': { ...attachment, kind: 'ProjectAttachment' },
      };
      assert.deepEqual(planned(attached, `${wanting('hub')}${moveToHub}`), [[], problem]);
    });

    it('until a `forget` line lets the other go', () => {
      const text = `${wanting('hub')}${moveToHub}forget: [OAuthClient/gh]\n`;
      assert.deepEqual(planned(held, text), [['forget OAuthClient/gh'], []]);
    });
  });
});

describe('a client whose line went to another file', () => {
  it('is remembered there without a step', () => {
    const world = holding({ 'OAuthClient/gh': clientInLedger('oc-1', values, { file: 'old.tether.yaml' }) });
    const made = planIn(world, manifest(wanting('gh')));
    assert.deepEqual(made.steps, []);
    assert.deepEqual(made.plan.baselineRefresh, [
      {
        key: 'OAuthClient/gh',
        managed: values,
        file: 'acme.tether.yaml',
      },
    ]);
  });
});
