/** When a member of an exact set goes: never before what the set lists instead is there. */
import assert from 'node:assert/strict';
import type { Step } from '../../../reconciler/plan/plan';
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

const needs = (steps: readonly Step[]) => steps.map((step) => [step.id, step.needs]);

/** ws-a is triggered by ws-b, which is ours, and by ws-f, which is not. */
const settled = () =>
  pureWorld({
    triggers: [triggerDocument('rt-b', 'ws-b', 'ws-a'), triggerDocument('rt-f', 'ws-f', 'ws-a')],
    ledger: ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-b', 'ws-b', 'ws-a') }),
  });
const sources = (...ids: string[]) =>
  manifest(`runTriggers: [{ target: ws-a, sources: [${ids.join(', ')}] }]\n`);

describe('what an exact set does not list', () => {
  it('goes after what the set adds, so that a failed addition takes nothing away', () => {
    assert.deepEqual(needs(planIn(settled(), sources('ws-c')).steps), [
      ['create RunTrigger/ws-a/ws-c', []],
      ['delete RunTrigger/ws-a/ws-b (rt-b)', ['create RunTrigger/ws-a/ws-c']],
      ['delete RunTrigger/ws-a/ws-f (rt-f)', ['create RunTrigger/ws-a/ws-c']],
    ]);
  });

  it('waits for no other set', () => {
    const both = manifest(
      'runTriggers: [{ target: ws-a, sources: [ws-b] }, { target: ws-x, sources: [ws-y] }]\n',
    );
    assert.deepEqual(needs(planIn(settled(), both).steps), [
      ['create RunTrigger/ws-x/ws-y', []],
      ['delete RunTrigger/ws-a/ws-f (rt-f)', []],
    ]);
  });

  it('goes first where the service has no room for both', () => {
    const many = Array.from({ length: 20 }, (_, index) => `ws-s${index}`);
    const world = pureWorld({
      triggers: many.map((source) => triggerDocument(`rt-${source}`, source, 'ws-a')),
      ledger: ledgerWith({}),
    });
    const text = `runTriggers: [{ target: ws-a, sources: [${[...many.slice(1), 'ws-new'].join(', ')}] }]\n`;
    const made = planIn(world, manifest(`profile: hcp-terraform\n${text}`));
    assert.deepEqual(needs(made.steps.filter((step) => step.action !== 'adopt')), [
      ['delete RunTrigger/ws-a/ws-s0 (rt-ws-s0)', []],
      ['create RunTrigger/ws-a/ws-new', ['delete RunTrigger/ws-a/ws-s0 (rt-ws-s0)']],
    ]);
  });

  it('stays while an id that the set lists cannot be seen, as a mistyped one cannot', () => {
    const world = settled();
    world.hidden.add('run triggers of ws-bb (outbound)');
    const { plan, steps } = planIn(world, sources('ws-bb'));
    assert.deepEqual(needs(steps), []);
    assert.deepEqual(
      plan.unknown.map((one) => one.address),
      ['RunTrigger/ws-a/ws-bb', 'RunTrigger/ws-a/ws-b', 'RunTrigger/ws-a/ws-f'],
    );
    assert.match(
      plan.unknown[1]?.why ?? '',
      /^the sources of ws-a do not list it; it goes once RunTrigger\/ws-a\/ws-bb, which they list, can be planned/,
    );
  });
});

describe('a set whose line is taken out', () => {
  it('takes along what is ours of it, and nothing else', () => {
    assert.deepEqual(
      planIn(settled(), manifest('runTriggers: []\n')).steps.map((step) => step.id),
      ['delete RunTrigger/ws-a/ws-b'],
    );
    const attached = {
      ...clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
      kind: 'ProjectAttachment',
    };
    const client = pureWorld({
      clients: [clientDocument('oc-1', { projectIds: ['prj-1', 'prj-theirs'] })],
      ledger: ledgerWith({
        'OAuthClient/github': clientInLedger('oc-1', values),
        'ProjectAttachment/oc-1/prj-1': attached,
      }),
    });
    const ids = (text: string) => planIn(client, manifest(text)).steps.map((step) => step.objectId);
    assert.deepEqual(ids(github), ['oc-1/prj-1']);
    assert.deepEqual(ids(`${github}    projects: []\n`).sort(), ['oc-1/prj-1', 'oc-1/prj-theirs']);
    assert.deepEqual(ids(`${github}forget: [ProjectAttachment/github/prj-1]\n`), ['oc-1/prj-1']);
  });
});
