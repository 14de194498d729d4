/** What objects are called in plans and drift reports: as the manifests write it, and told apart from what stands around it. */
import assert from 'node:assert/strict';
import { driftOf } from '../../../reconciler/drift';
import type { Step } from '../../../reconciler/plan/plan';
import { renderDrift, renderDriftNext } from '../../../reconciler/render/drift';
import { planComment } from '../../../reconciler/render/markdown';
import { renderPlan } from '../../../reconciler/render/plan';
import { readMermaid } from '../../support/mermaid';
import { github, values } from '../../support/plan-samples';
import { planOf, stepOf } from '../../support/plans';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  type PureWorld,
  planIn,
  pureWorld,
  triggerDocument,
} from '../../support/pure-world';

const noColour = { color: false, width: null };

describe('a name that could be read as more than a name', () => {
  const trigger = (target: string, source: string) =>
    stepOf({ action: 'create', address: `RunTrigger/${target}/${source}` });
  const textOf = (steps: readonly Step[], width: number | null = null) =>
    renderPlan(planOf({ steps }), { ...noColour, width });

  it('stands in quotes among others', () => {
    const sources = ['my app', '+ x', '-y', 'a,b', 'c(d)', 'say "e"', 'f.g_h-1'];
    assert.match(
      textOf(sources.map((source) => trigger('the target', source))),
      /^ +"the target" {2}\+ "my app" {2}\+ "\+ x" {2}\+ "-y" {2}\+ "a,b" {2}\+ "c\(d\)" {2}\+ "say \\"e\\"" {2}\+ f\.g_h-1$/m,
    );
  });

  it('is not broken at the end of a line', () => {
    const text = textOf([trigger('app', 'one two three'), trigger('app', 'four five six')], 40);
    assert.match(text, /\+ "one two three"\n.*\+ "four five six"/);
  });

  it('is spelt in a picture as it is in the text', async () => {
    const plan = planOf({ steps: [trigger('app', '+ x')] });
    const comment = planComment(plan, 'digest', { folder: '.', redact: (text) => text });
    const { nodes } = await readMermaid(/```mermaid\n(.*?)```/s.exec(comment)?.[1] ?? '');
    assert.deepEqual(nodes, ['"+ x"', 'app']);
  });
});

/** What an id is called. */
const aliases = `aliases:
  projects: { shop: prj-1, data: prj-2, search: prj-3 }
  agentPools: { dmz: apool-1 }
  workspaces: { app: ws-1, dns: ws-2, jobs: ws-3 }
`;

/** A client that is ours, as it is there and as the ledger remembers it. */
function world(there: Parameters<typeof clientDocument>[1], more: Partial<PureWorld> = {}): PureWorld {
  return pureWorld({
    clients: [clientDocument('oc-1', there)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values) }),
    ...more,
  });
}

function planned(there: Parameters<typeof clientDocument>[1], text: string): string {
  const manifests = manifest(aliases + text);
  const { plan } = planIn(world(there), manifests);
  return renderPlan(plan, { ...noColour, manifests });
}

describe('an id that has an alias', () => {
  const replaced = github.replace('https://git.example.com\n', 'https://new.example.com\n');

  it('is shown by it in what a replacement carries over and in what it loses', () => {
    const there = { projectIds: ['prj-1', 'prj-9'], agentPoolId: 'apool-1' };
    assert.match(planned(there, replaced), /^ +carried over: .*projects \[prj-9, shop\], agentPool "dmz"$/m);
    const text = planned(there, `${replaced}    projects: [data]\n`);
    assert.match(text, /! project attachments that the new one does not get: prj-9, shop\n/);
    const moved = planned(there, `${replaced}    projects: [data, shop]\n`);
    assert.match(moved, /! project attachments that the new one does not get: prj-9\n/);
    assert.match(moved, /^ +github {2}\+ data {2}\+ shop \(moves to the new client\)$/m);
  });

  it('is shown by it in what goes with a deleted client', () => {
    const text = planned({ projectIds: ['prj-2', 'prj-1'] }, 'runTriggers: []\n');
    assert.match(text, /! its project attachments go with it: data, shop\n/);
  });

  it('is shown by it where a field changes, and in the lines that accept drift', () => {
    const manifests = manifest(`${aliases}${github}    agentPool: null\n`);
    const remembered = clientInLedger('oc-1', { ...values, agentPoolId: null });
    const ledger = ledgerWith({ 'OAuthClient/github': remembered });
    const { inputs, plan } = planIn(world({ agentPoolId: 'apool-1' }, { ledger }), manifests);
    const options = { ...noColour, manifests };
    assert.match(renderPlan(plan, options), /agentPool {2}"dmz" → none/);
    const report = driftOf(inputs, plan);
    assert.match(renderDrift(report, options), /agentPool {2}was none → is "dmz"/);
    const next = renderDriftNext(report, options, (command) => `tether ${command}`);
    assert.match(next, /^ {4}\S+:\d+:\d+ {2}agentPool: "dmz"$/m);
  });
});

describe('what is unmanaged in exact sets', () => {
  it('is told with the line of the set that would have to list it', () => {
    const manifests = manifest(
      `${aliases}runTriggers:\n  - { target: app, sources: [] }\n  - { source: dns, targets: [jobs] }\n`,
    );
    const triggers = [triggerDocument('rt-1', 'ws-2', 'ws-1'), triggerDocument('rt-2', 'ws-3', 'ws-1')];
    const { inputs, plan } = planIn(pureWorld({ triggers }), manifests);
    const next = renderDriftNext(driftOf(inputs, plan), { ...noColour, manifests }, (command) => command);
    assert.match(
      next,
      /^ {4}list RunTrigger\/app\/dns, which is not listed under the sources of app, the exact set at \S+:8:5\n {4}list RunTrigger\/app\/jobs, .*:8:5$/m,
    );
  });

  it('is told with no line where the pair is listed, and is there twice', () => {
    const manifests = manifest(`${aliases}runTriggers:\n  - { target: app, sources: [dns] }\n`);
    const twice = ['rt-1', 'rt-2'].map((id) => triggerDocument(id, 'ws-2', 'ws-1'));
    const { inputs, plan } = planIn(pureWorld({ triggers: twice }), manifests);
    const report = driftOf(inputs, plan);
    assert.equal(report.items.length, 1);
    assert.doesNotMatch(renderDriftNext(report, { ...noColour, manifests }, String), /list RunTrigger/);
  });
});
