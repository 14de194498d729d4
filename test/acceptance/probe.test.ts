/** Each row of the probe prints what was switched in the service, so that a row that cannot fail is seen. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultSpec } from '../../service';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy';
import { root } from '../support/pulumi-engine';
import { temporaryFolder } from '../support/temporary-folder';
import { acceptanceWorlds, foundPlaces, token } from './acceptance-world';
import { notObservable, type ProbeName, probe } from './probe';
import { inApiWords, type ProbeAnswer, ProbeStage } from './probe-stage';
import { Requests } from './requests';
import { Scope } from './scope';
import { renderTable } from './table';

/** What makes the service answer otherwise than the profile assumes. Most have a behaviour or an ability of the profile. */
interface Switch {
  readonly behaviours?: Readonly<Record<string, string>>;
  /** An ability that the service has and its profile denies, or the other way round. */
  readonly ability?: string;
  readonly fault?: FaultSpec;
  /** Changes what passes between suite and service. */
  readonly proxy?: Partial<Pick<FaultyProxy, 'decide' | 'edit'>>;
  readonly answer: string;
}

const clients = '/organizations/:organization_name/oauth-clients';
const client = '/oauth-clients/:id';
const triggers = '/workspaces/:workspace_id/run-triggers';

function status(code: number, method: FaultSpec['method'], route: string, more: Partial<FaultSpec> = {}) {
  return { how: 'status', method, route, status: code, body: '{"data":[]}', ...more } as FaultSpec;
}

function errors(code: number, method: FaultSpec['method'], route: string, error: unknown) {
  return status(code, method, route, { body: JSON.stringify({ errors: [error] }) });
}

function without(member: string): Pick<FaultyProxy, 'edit'> {
  return { edit: (body) => body.replace(new RegExp(`,"${member}":(?:null|true|false|"[^"]*")`), '') };
}

const switches: Readonly<Record<ProbeName, Switch>> = {
  'status of a duplicate trigger': { behaviours: { 'duplicate-trigger': 'accept' }, answer: '201' },
  'attaching a project twice': { behaviours: { 'attach-again': '422' }, answer: '422' },
  'detaching what is not attached': { behaviours: { 'attach-again': '422' }, answer: '422' },
  'attaching an unknown project beside a known one': {
    proxy: {
      edit: (body) => body.replace('"projects":{"data":[]', '"projects":{"data":[{"id":"prj-acc-a"}]'),
    },
    answer: '422, the known one attached',
  },
  'second DELETE of a client': { fault: status(204, 'DELETE', client, { nth: 2 }), answer: '204' },
  'second DELETE of a trigger': {
    fault: status(410, 'DELETE', '/run-triggers/:run_trigger_id', { nth: 2 }),
    answer: '410',
  },
  'page size above the maximum': { behaviours: { 'page-size-max': '60' }, answer: 'clamped to 60' },
  'page past the end': { fault: status(404, 'GET', clients), answer: '404' },
  'page size 0': { fault: status(200, 'GET', clients), answer: '200' },
  'the client list without paging parameters': {
    proxy: { edit: (body) => body.replace(/\}$/, ',"meta":{}}') },
    answer: 'meta',
  },
  'order of the client list': {
    proxy: {
      edit: (body) => {
        const document = JSON.parse(body || '{}') as { data?: unknown };
        return Array.isArray(document.data) ? JSON.stringify({ data: document.data.reverse() }) : body;
      },
    },
    answer: 'newest first',
  },
  'rate-limit headers': { behaviours: { 'rate-limit': 'fixed-window', rate: '500' }, answer: 'limit 500' },
  'a created client is listed': { behaviours: { 'create-hidden-ms': '100' }, answer: 'later' },
  'a created trigger is listed': { behaviours: { 'create-hidden-ms': '100' }, answer: 'later' },
  'a deleted client leaves the list': { behaviours: { 'delete-visible-ms': '100' }, answer: 'later' },
  'a deleted trigger leaves the list': { behaviours: { 'delete-visible-ms': '100' }, answer: 'later' },
  "a deleted client's own page is gone": { behaviours: { 'delete-visible-ms': '100' }, answer: 'later' },
  'PATCH without an agent pool': { behaviours: { 'patch-without-agent-pool': 'clear' }, answer: 'cleared' },
  'an unknown agent pool': { fault: status(404, 'PATCH', client), answer: '404' },
  'oauth-token-string in PATCH': { ability: 'tokenInPatch', answer: 'ignored' },
  'tokens of a client that was created with a token string': {
    proxy: {
      edit: (body) => body.replace(/"oauth-tokens":\{"data":\[[^\]]*\]/, '"oauth-tokens":{"data":[]'),
    },
    answer: '0',
  },
  'two clients of one name': { fault: status(422, 'POST', clients, { nth: 2 }), answer: '422' },
  'include on the outbound list': { ability: 'includeOnOutbound', answer: 'included' },
  'an unknown include': { fault: status(200, 'GET', clients), answer: '200' },
  'shape of a 404': { fault: errors(404, 'GET', client, 'text'), answer: 'errors are texts' },
  'shape of a 422': {
    fault: errors(422, 'POST', clients, { status: 422, title: 'x' }),
    answer: 'status (number), title',
  },
  'shape of a 400': { fault: status(400, 'GET', triggers, { body: '<html>' }), answer: 'no JSON' },
  'what the answer about a client lacks': {
    proxy: without('organization-scoped'),
    answer: 'organization-scoped',
  },
  'what the answer about a trigger lacks': {
    proxy: without('sourceable-name'),
    answer: 'sourceable-name',
  },
  'a method that a path does not have': {
    proxy: { decide: ({ method }) => (method === 'PUT' ? { status: 404 } : 'passes') },
    answer: '404',
  },
  'POST of another media type': { fault: status(422, 'POST', clients), answer: '422' },
  'the trigger list without its filter': { fault: status(200, 'GET', triggers), answer: '200' },
  'a create without attributes': { fault: status(400, 'POST', clients), answer: '400' },
  'a request without a token': { fault: status(404, 'GET', clients), answer: '404' },
  'an id of impossible shape': { fault: status(400, 'GET', client), answer: '400' },
  'lists of workspaces and projects': { ability: 'lookupByName', answer: '404 and 404' },
  'which workspaces use a client': { ability: 'affectedWorkspaces', answer: 'not told' },
  'two creates for one target at once': { behaviours: { 'trigger-lock': '409' }, answer: '201 and 409' },
  'a workspace that triggers itself': { fault: status(409, 'POST', triggers), answer: '409' },
  'a cycle of triggers': { fault: status(422, 'POST', triggers, { nth: 2 }), answer: '422' },
};

const assumed = 'hcp-terraform';

describe('the rows of the acceptance probe', () => {
  const start = acceptanceWorlds();
  const folder = temporaryFolder();
  const proxies: FaultyProxy[] = [];

  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  async function observe(name: ProbeName, switched: Omit<Switch, 'answer'>) {
    const profile = switched.ability === undefined ? assumed : flippedProfile(folder(), switched.ability);
    const world = await start({ assumed, profile, behaviours: switched.behaviours ?? {} });
    const proxy = await startFaultyProxy(world.service.url);
    proxies.push(proxy);
    const settings = world.settings({ TETHER_ADDRESS: `${proxy.origin}/api/v2` });
    const requests = new Requests(settings);
    const places = foundPlaces;
    if (switched.fault) world.service.fault(switched.fault);
    Object.assign(proxy, switched.proxy);
    const { vcs } = settings;
    assert.ok(vcs !== undefined);
    const stage = new ProbeStage({ settings, vcs, places, requests, scope: new Scope(places) });
    const observed = await probe[name].observe(stage);
    return { observed, settings };
  }

  for (const [name, { answer, ...switched }] of Object.entries(switches) as [ProbeName, Switch][]) {
    it(`print what was switched: ${name}`, async () => {
      const plain = await observe(name, {});
      const expected = [probe[name].assumes(plain.settings)].flat();
      assert.ok(expected.includes(plain.observed?.answer ?? ''), JSON.stringify(plain.observed));
      const { observed } = await observe(name, switched);
      assert.equal(observed?.answer, answer);
      assert.ok(!expected.includes(answer), 'the switch changes nothing');
    });
  }

  it('name rows of docs/spec-gaps.md', () => {
    const page = readFileSync(join(root, 'docs/spec-gaps.md'), 'utf8');
    const gaps = [...Object.values(probe), ...notObservable].map(({ gap }) => gap);
    assert.deepEqual(
      gaps.filter((gap) => !page.includes(`\n| ${gap} |`)),
      [],
    );
  });

  it('let no word of the service into the table but those of the API', async () => {
    const hostile = `/data/oc-secret/${token}/attributes/name`;
    assert.equal(inApiWords(hostile), '/data/…/…/attributes/name');
    assert.equal(inApiWords('| broken\n| row'), '…');
    const fault = errors(422, 'POST', triggers, {
      [token]: 'ws-1',
      source: { pointer: hostile, [token]: 1 },
    });
    const { observed, settings } = await observe('a workspace that triggers itself', { fault });
    const shape = errors(404, 'GET', client, { [token]: 'ws-1', source: { [token]: 1 }, 'oc-1': null });
    const shown = (await observe('shape of a 404', { fault: shape })).observed;
    const rows = new Map<ProbeName, ProbeAnswer | undefined>([
      ['a workspace that triggers itself', observed],
      ['shape of a 404', shown],
    ]);
    const table = renderTable(settings, [], { life: new Map(), probe: rows });
    assert.match(table, /\| 422 \| \/data\/…\/…\/attributes\/name \|/);
    assert.doesNotMatch(table, /oc-|ws-|canary/);
  });
});

/** Writes a copy of the profile with the other value of an ability. */
function flippedProfile(folder: string, ability: string): string {
  const profile = JSON.parse(readFileSync(join(root, 'profiles', `${assumed}.json`), 'utf8'));
  profile.capabilities[ability] = !profile.capabilities[ability];
  const file = join(folder, 'flipped.json');
  writeFileSync(file, JSON.stringify(profile));
  return file;
}
