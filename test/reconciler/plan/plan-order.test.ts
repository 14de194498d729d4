/** What must wait for what: an apply stops at a failed step, so every dependence has to be said. */
import assert from 'node:assert/strict';
import { noncePrefix } from '../../../resources/names';
import { github, values } from '../../support/plan-samples';
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

const elsewhere = github.replace('//git.example.com\n', '//other.example.com\n');

describe('the order of a plan', () => {
  it('destroys the old client only after the new one is there, also where nothing refers to it', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-1')],
      ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values) }),
    });
    const { steps } = planIn(world, manifest(elsewhere), { approve: true });
    assert.deepEqual(
      steps.map(({ id, needs }) => [id, needs]),
      [
        ['replace OAuthClient/github', []],
        ['delete OAuthClient/github (replaced oc-1)', ['replace OAuthClient/github']],
      ],
    );
  });

  for (const [profile, needs] of [
    ['hcp-terraform', ['delete RunTrigger/ws-app/ws-old']],
    ['default', []],
  ] as const) {
    it(`makes room at a full target alone where profile ${profile} says what a target takes`, () => {
      const world = pureWorld({
        triggers: [
          triggerDocument('rt-1', 'ws-old', 'ws-app'),
          triggerDocument('rt-2', 'ws-old', 'ws-web'),
          ...Array.from({ length: 19 }, (_, index) =>
            triggerDocument(`rt-other${index}`, `ws-other${index}`, 'ws-app'),
          ),
        ],
        ledger: ledgerWith({
          'RunTrigger/ws-app/ws-old': triggerInLedger('rt-1', 'ws-old', 'ws-app'),
          'RunTrigger/ws-web/ws-old': triggerInLedger('rt-2', 'ws-old', 'ws-web'),
        }),
      });
      const text = `profile: ${profile}\nrunTriggers: [{ target: ws-app, source: ws-new }]\n`;
      const create = planIn(world, manifest(text)).steps.find((step) => step.action === 'create');
      assert.deepEqual(create?.needs, needs);
    });
  }
});

describe('what interrupted creates left', () => {
  const nonce = `${noncePrefix('acme', 'OAuthClient/github')}0011`;
  const pending = { 'OAuthClient/github': { kind: 'OAuthClient', nonce, hash: 'h' } };

  it('is finished where it is the first, and cleaned up where the answer was lost more than once', () => {
    const world = pureWorld({
      clients: [
        clientDocument('oc-7', { name: nonce }),
        clientDocument('oc-8', { name: nonce, createdAt: '2026-01-02T00:00:00.000Z' }),
      ],
      ledger: ledgerWith({}, { pending }),
    });
    const { steps } = planIn(world, manifest(github));
    assert.deepEqual(steps.map((step) => step.id).sort(), ['cleanup oc-8', 'create OAuthClient/github']);
  });

  it('is cleaned up together with its entry that is not wanted any more', () => {
    const world = pureWorld({
      clients: [clientDocument('oc-7', { name: nonce })],
      ledger: ledgerWith({}, { pending }),
    });
    const { steps } = planIn(world, manifest('runTriggers: []\n'));
    assert.deepEqual(
      steps.map((step) => [step.id, step.reason]),
      [['cleanup oc-7', 'late-arrival']],
    );
  });
});

describe('what an earlier replacement still has to destroy', () => {
  it('looks like nothing that another address wants', () => {
    const old = clientDocument('oc-1', { name: 'Twin' });
    const world = pureWorld({
      clients: [old, clientDocument('oc-2', { name: 'Twin', httpUrl: 'https://other.example.com' })],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger(
          'oc-2',
          { ...values, name: 'Twin', httpUrl: 'https://other.example.com' },
          { replaces: 'oc-1' },
        ),
      }),
    });
    const twin = elsewhere.replace('name: GitHub', 'name: Twin');
    const another = github.split('\n').slice(1).join('\n').replace('github:', 'another:');
    const made = planIn(world, manifest(`${twin}${another.replace('name: GitHub', 'name: Twin')}`));
    assert.deepEqual(made.plan.problems, []);
    assert.ok(made.steps.some((step) => step.id === 'create OAuthClient/another'));
  });
});
