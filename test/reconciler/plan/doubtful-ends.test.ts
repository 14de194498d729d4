/** What no entry claims, while a line of the manifests may mean it: by `id:` under another key, or by a name that nobody can tell. */
import assert from 'node:assert/strict';
import { driftOf } from '../../../reconciler/drift';
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
import { soundManifest } from '../../support/sound-manifest';

const line = 'moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]';
const approved = 'approved: [{ destroy: OAuthClient/github, id: oc-1 }]\n';

describe('a client of the ledger that an `id:` line names under another key', () => {
  const attachment = clientInLedger('oc-1/prj-1', { oauthClientId: 'oc-1', projectId: 'prj-1' });
  const held = { 'ProjectAttachment/oc-1/prj-1': { ...attachment, kind: 'ProjectAttachment' } };
  const world = (more = {}) =>
    pureWorld({
      clients: [clientDocument('oc-1', { projectIds: ['prj-1'] }), clientDocument('oc-2')],
      ledger: ledgerWith({ ...held, 'OAuthClient/github': clientInLedger('oc-1', values), ...more }),
    });
  const hub = `${github}    id: oc-1\n`.replace('github:', 'hub:').replace('//git.', '//new.');

  const planned = (text: string, more = {}) => {
    const { plan, steps } = planIn(world(more), manifest(text));
    const { blockers, problems } = plan;
    return [steps.map(({ id }) => id), blockers.map(({ code }) => code), problems.map(({ rule }) => rule)];
  };

  it('is left alone, approved or not, and its attachments with it', () => {
    for (const text of [hub, hub + approved]) assert.deepEqual(planned(text), [[], [], ['id-held']]);
    const replaced = { 'OAuthClient/github': clientInLedger('oc-2', values, { replaces: 'oc-1' }) };
    assert.deepEqual(planned(hub, replaced), [[], [], ['id-held']]);
    const other = { 'OAuthClient/hub': clientInLedger('oc-2', values) };
    assert.deepEqual(planned(hub, other), [[], [], ['id-differs']]);
  });

  it('moves by the line that the problem gives', () => {
    const [problem] = planIn(world(), manifest(hub)).plan.problems;
    assert.ok(problem?.message.includes(`\`${line}\``), problem?.message);
    const [steps, , problems] = planned(`${hub}${line}\n`);
    assert.deepEqual([steps?.[0], problems], ['move OAuthClient/hub', []]);
  });

  it('is let go by a `forget` line, moves where only the key differs, and goes with `destroy`', () => {
    assert.deepEqual(planned(`${hub}forget: [OAuthClient/github]\n`)[0], ['forget OAuthClient/github']);
    const renamed = hub.replace('//new.', '//git.');
    assert.deepEqual(planned(`${renamed}    projects: [prj-1]\n`), [['move OAuthClient/hub'], [], []]);
    const all = planIn(world(), manifest(hub), { destroy: true }).steps.map(({ id }) => id);
    assert.deepEqual(all, ['delete OAuthClient/github']);
  });

  it('is suggested to no third address', () => {
    const third = github.slice(github.indexOf('\n') + 1).replace('github:', 'third:');
    const { warnings } = planIn(world(), manifest(`${hub}${third.replace('//git.', '//third.')}`)).plan;
    assert.ok(!warnings.some(({ rule }) => rule === 'perhaps-renamed'));
  });
});

describe('what the ledger holds and is gone', () => {
  const sources = Array.from({ length: 12 }, (_, index) => `ws-s${index}`);
  const triggers = Object.fromEntries(
    sources.map((source) => [`RunTrigger/ws-a/${source}`, triggerInLedger(`rt-${source}`, source, 'ws-a')]),
  );
  const world = () =>
    pureWorld({
      triggers: [triggerDocument('rt-s', 'ws-s0', 'ws-b')],
      ledger: ledgerWith({
        ...triggers,
        'RunTrigger/ws-b/ws-s0': triggerInLedger('rt-s', 'ws-s0', 'ws-b'),
        'OAuthClient/pooled': clientInLedger('oc-1', { ...values, agentPoolId: 'apool-1' }),
        'OAuthClient/plain': clientInLedger('oc-2', values),
      }),
    });
  /** Lines of that target with these sources, on a service with names. */
  const lines = (target: string, wanted: readonly string[]) => {
    const all = wanted.map((source) => `, { target: ${target}, source: ${source} }`).join('');
    return soundManifest(`${head}runTriggers: [{ target: ws-b, source: ws-s0 }${all}]\n`);
  };
  const head = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';

  it('is not forgotten while a name of its lines is not known', () => {
    const { plan, inputs } = planIn(world(), lines('app', sources));
    const forgotten = plan.steps.map(({ id }) => id).sort();
    assert.deepEqual(forgotten, ['forget OAuthClient/plain', 'forget OAuthClient/pooled']);
    const waiting = plan.unknown.filter(({ why }) => /is not known, and may be meant here/.test(why));
    assert.deepEqual(waiting.map(({ address }) => address).sort(), Object.keys(triggers).sort());
    const wanted = driftOf(inputs, plan).items.filter(({ asDesired }) => asDesired);
    assert.deepEqual(wanted.map(({ address }) => address).sort(), [
      'OAuthClient/plain',
      'OAuthClient/pooled',
    ]);
  });

  it('is not forgotten while a new client may be it, whose agent pool is not known', () => {
    const client = `oauthClients:
  git:
    serviceProvider: github
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
    agentPool: pool
`;
    const { plan } = planIn(world(), soundManifest(head + client));
    const clients = plan.steps.flatMap(({ id, kind }) => (kind === 'OAuthClient' ? id : []));
    assert.deepEqual(clients, ['forget OAuthClient/plain']);
    assert.ok(plan.unknown.some(({ address }) => address === 'OAuthClient/pooled'));
  });

  it('is forgotten once all names are known, and for `destroy`', () => {
    const { steps } = planIn(world(), lines('ws-a', sources.slice(2)));
    const forgotten = steps.flatMap(({ id, action }) => (action === 'forget' ? id : [])).sort();
    assert.equal(forgotten.length, 4);
    assert.deepEqual(forgotten.slice(2), ['forget RunTrigger/ws-a/ws-s0', 'forget RunTrigger/ws-a/ws-s1']);
    const all = planIn(world(), lines('app', sources), { destroy: true }).steps;
    assert.equal(all.filter(({ reason }) => reason === 'already-gone').length, 14);
  });
});
