/** The room at a target with as many sources as the service allows. */
import assert from 'node:assert/strict';
import type { Facts } from '../../../reconciler/plan/facts';
import { planChanges } from '../../../reconciler/plan/make';
import { recordTriggers } from '../../support/link-rows';
import {
  planLines,
  smallFacts,
  smallLedger,
  smallManifest,
  triggerDocument,
} from '../../support/small-world';

describe('a target that is full', () => {
  const sources = Array.from({ length: 20 }, (_, index) => `s${index + 1}`);
  const triggers = sources.map((source, index) => triggerDocument(`rt-${index + 1}`, `app<${source}`));

  async function crowdedFacts(existing = triggers, kept = sources.slice(2)): Promise<Facts> {
    const listed = [...kept, 'typo', 'other'].map((source) => `ws-${source}`);
    const set = `{ target: ws-app, sources: [${listed.join(', ')}] }`;
    const manifests = smallManifest(`profile: hcp-terraform\nrunTriggers: [${set}]\n`);
    return smallFacts({ triggers: existing }, manifests, smallLedger({}));
  }

  it('loses what the set does not list before the new sources come', async () => {
    const facts = await crowdedFacts();
    const { steps } = planChanges(facts);
    const deletes = steps.filter(({ action }) => action === 'delete').map(({ id }) => id);
    const creates = steps.filter(({ action }) => action === 'create');
    assert.deepEqual(
      deletes,
      [1, 2].map((n) => `delete RunTrigger/ws-app/ws-s${n} (rt-${n})`),
    );
    assert.deepEqual(
      creates.map(({ address, needs, after }) => [address, needs, after]),
      ['typo', 'other'].map((source) => [`RunTrigger/ws-app/ws-${source}`, [], deletes]),
    );
    assert.deepEqual(planLines(planChanges(facts)).at(-1), '--max-deletes 2');
  });

  it('loses a source only after the new one where both have room', async () => {
    const { steps } = planChanges(await crowdedFacts(triggers.slice(3), sources.slice(4)));
    const gone = steps.find(({ action }) => action === 'delete');
    assert.deepEqual(
      gone?.needs.toSorted(),
      ['other', 'typo'].map((source) => `create RunTrigger/ws-app/ws-${source}`),
    );
  });

  it('loses a source that waits for a link at another full target', async () => {
    const fill = sources.slice(1);
    const pairs = [...sources.map((source) => `full<${source}`), ...fill.map((source) => `app<${source}`)];
    const there = [...pairs, 'app<moved'].map((pair) => triggerDocument(`rt-${pair}`, pair));
    const recorded = recordTriggers(
      Object.fromEntries([...pairs, 'app<moved'].map((pair) => [pair, `rt-${pair}`])),
    );
    const lines = [...pairs, 'full<moved', 'app<new'].map((pair) => {
      const [target, source] = pair.split('<');
      return `{ target: ws-${target}, source: ws-${source} }`;
    });
    const manifests = smallManifest(`profile: default\nrunTriggers: [${lines.join(', ')}]\n`);
    const limited = {
      ...manifests,
      profile: { ...manifests.profile, limits: { ...manifests.profile.limits, maxSources: 20 } },
    };
    const plan = planChanges(await smallFacts({ triggers: there }, limited, smallLedger(recorded)));
    assert.deepEqual(planLines(plan), [
      'delete RunTrigger/ws-app/ws-moved: removed-from-manifest',
      'create RunTrigger/ws-app/ws-new: new',
      'too-many-sources RunTrigger/ws-full/ws-moved',
    ]);
  });

  /** One source is new. Of the 22 that exist, two above the limit, the ledger has some and the manifest fewer. */
  async function planAbove(declaredCount: number, recordedCount: number): Promise<readonly string[]> {
    const crowd = [...sources, 's21', 's22'];
    const existing = crowd.map((source) => triggerDocument(`rt-${source}`, `app<${source}`));
    existing.push(triggerDocument('rt-old', 'docs<new'));
    const recordedPairs = crowd.slice(0, recordedCount).map((source) => [`app<${source}`, `rt-${source}`]);
    const objects = recordTriggers({ ...Object.fromEntries(recordedPairs), 'docs<new': 'rt-old' });
    const listed = ['new', ...crowd.slice(0, declaredCount)];
    const lines = listed.map((source) => `{ target: ws-app, source: ws-${source} }`);
    const manifests = smallManifest(`profile: hcp-terraform\nrunTriggers: [${lines.join(', ')}]\n`);
    const facts = await smallFacts({ triggers: existing }, manifests, smallLedger(objects));
    return planLines(planChanges(facts));
  }

  it('gets a new source only if enough of what is above its limit goes', async () => {
    const make = 'create RunTrigger/ws-app/ws-new: new';
    assert.ok((await planAbove(18, 22)).includes(make));
    assert.ok((await planAbove(19, 22)).includes(make));
    const lines = await planAbove(18, 20);
    assert.ok(!lines.includes(make));
    const kept = ['too-many-sources RunTrigger/ws-app/ws-new', 'unknown RunTrigger/ws-docs/ws-new'];
    assert.deepEqual(
      lines.filter((line) => kept.includes(line)),
      kept,
      'the connection that the source has stays',
    );
  });
});
