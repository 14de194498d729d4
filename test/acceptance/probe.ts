/** The probe: what the API text leaves open, what the profile assumes, and how to observe it. One row is one question. */
import { randomBytes } from 'node:crypto';
import type { ServiceResponse } from '../support/api-caller';
import {
  describeErrors,
  describeStatus,
  type ProbeAnswer,
  type ProbeStage,
  placesInErrors,
} from './probe-stage';
import { patchBody } from './requests';
import type { Settings } from './settings';
import { triggersPath } from './sight';

export interface ProbeRow {
  /** The first cell of the row in docs/spec-gaps.md. */
  readonly gap: string;
  /** What Tether takes for granted. Several answers are equally good. */
  readonly assumes: (settings: Settings) => string | readonly string[];
  /** Undefined where this service, profile or setting cannot show it. */
  readonly observe: (stage: ProbeStage) => Promise<ProbeAnswer | undefined>;
}

function row(
  gap: string,
  assumed: string | readonly string[] | ((settings: Settings) => string),
  observe: ProbeRow['observe'],
): ProbeRow {
  return { gap, assumes: typeof assumed === 'function' ? assumed : () => assumed, observe };
}

function has(settings: Settings, capability: string): boolean {
  return Reflect.get(settings.profile.capabilities, capability) === true;
}

/** An id of the right shape that nothing has. */
function unusedId(prefix: string): string {
  return `${prefix}-${randomBytes(12).toString('hex').slice(0, 16)}`;
}

const inbound = (stage: ProbeStage) => triggersPath(stage.places.workspaceIds[1], 'inbound');

/** Attributes and relationships of the API text, which every answer should have. */
const clientMembers = {
  attributes:
    'created-at callback-url connect-path service-provider service-provider-display-name name http-url api-url key rsa-public-key organization-scoped',
  relationships: 'organization projects oauth-tokens agent-pool',
};
const triggerMembers = {
  attributes: 'workspace-name sourceable-name created-at',
  relationships: 'workspace sourceable',
};

function lackingMembers(answer: ServiceResponse, members: Readonly<Record<string, string>>): ProbeAnswer {
  if (answer.status !== 200) return describeStatus(answer);
  const lacking = Object.entries(members).flatMap(([part, names]) =>
    names.split(' ').filter((name) => answer.at(`/data/${part}/${name}`) === undefined),
  );
  return { answer: lacking.length === 0 ? 'none' : lacking.join(' ') };
}

async function twoTriggers(
  stage: ProbeStage,
  create: () => Promise<readonly ServiceResponse[]>,
  describe: (answers: readonly ServiceResponse[]) => ProbeAnswer,
): Promise<ProbeAnswer> {
  const answers = await create();
  for (const answer of answers) {
    const id = await stage.readTriggerId(answer);
    if (id !== undefined) await stage.deleteTrigger(id);
  }
  return describe(answers);
}

function describeOrder(times: readonly string[]): string {
  const rising = times.toSorted();
  if (times.join() === rising.join()) return 'oldest first';
  return times.join() === rising.toReversed().join() ? 'newest first' : 'neither oldest nor newest first';
}

const rateHeaders = [
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy', 'retry-after'],
];

export const probe = {
  'status of a duplicate trigger': row('A duplicate run trigger', '422', (stage) => {
    const [first, second] = stage.places.workspaceIds;
    return stage.withTrigger(() =>
      twoTriggers(
        stage,
        async () => [await stage.createTrigger(second, first)],
        ([answer]) => describeStatus(answer as ServiceResponse),
      ),
    );
  }),
  'attaching a project twice': row(
    'Attaching twice, detaching what is not attached',
    '204',
    async (stage) => {
      const id = await stage.client();
      const [project] = stage.places.projectIds;
      await stage.changeProjects('POST', id, project);
      const again = await stage.changeProjects('POST', id, project);
      await stage.changeProjects('DELETE', id, project);
      return describeStatus(again);
    },
  ),
  'detaching what is not attached': row(
    'Attaching twice, detaching what is not attached',
    '204',
    async (stage) =>
      describeStatus(await stage.changeProjects('DELETE', await stage.client(), stage.places.projectIds[1])),
  ),
  'attaching an unknown project beside a known one': row(
    'One unknown project among several',
    '422, nothing attached',
    async (stage) => {
      const id = await stage.client();
      const [project] = stage.places.projectIds;
      const answer = await stage.changeProjects('POST', id, project, unusedId('prj'));
      const { projectIds } = await stage.readClient(id);
      if (projectIds.length > 0) await stage.changeProjects('DELETE', id, project);
      const rest = projectIds.length > 0 ? 'the known one attached' : 'nothing attached';
      return { answer: `${answer.status}, ${rest}`, detail: placesInErrors(answer) };
    },
  ),
  'second DELETE of a client': row('A second DELETE', '404', async (stage) => {
    const id = await stage.newClient();
    await stage.deleteClient(id);
    return describeStatus(await stage.deleteClient(id));
  }),
  'second DELETE of a trigger': row('A second DELETE', '404', (stage) =>
    stage.withTrigger(async (id) => {
      await stage.deleteTrigger(id);
      return describeStatus(await stage.deleteTrigger(id));
    }),
  ),
  'page size above the maximum': row('Page size over the maximum of 100', 'clamped to 100', async (stage) => {
    const answer = await stage.requests.read(`${stage.clientsPath}?page%5Bsize%5D=1000`);
    if (answer.status !== 200) return describeStatus(answer);
    const [, inLink] = /page(?:%5B|\[)size(?:%5D|\])=(\d+)/i.exec(answer.textAt('/links/self')) ?? [];
    const size = answer.at('/meta/pagination/page-size') ?? inLink;
    if (size === undefined) return { answer: '200', detail: 'the answer names no size' };
    return { answer: Number(size) === 1000 ? 'taken' : `clamped to ${Number(size)}` };
  }),
  'page past the end': row('A page past the end', '200, empty, its own number', async (stage) => {
    const path = `${stage.clientsPath}?page%5Bnumber%5D=100000&page%5Bsize%5D=100`;
    const answer = await stage.requests.read(path);
    if (answer.status !== 200) return describeStatus(answer);
    const isEmpty = answer.listAt('/data').length === 0;
    const isOwn = answer.at('/meta/pagination/current-page') === 100_000;
    return { answer: `200, ${isEmpty ? 'empty' : 'not empty'}, ${isOwn ? 'its own' : 'another'} number` };
  }),
  'page size 0': row('Empty include, sizes and numbers below 1 or not numbers', '400', async (stage) =>
    describeStatus(await stage.requests.read(`${stage.clientsPath}?page%5Bsize%5D=0`)),
  ),
  'the client list without paging parameters': row(
    'The client list without paging parameters',
    'neither links nor meta',
    async (stage) => {
      const answer = await stage.requests.read(stage.clientsPath);
      const members = ['links', 'meta'].filter((name) => answer.at(`/${name}`) !== undefined);
      return { answer: members.length === 0 ? 'neither links nor meta' : members.join(' and ') };
    },
  ),
  'order of the client list': row('Order of lists', 'oldest first', async (stage) => {
    const ids = [await stage.newClient(), await stage.newClient(), await stage.newClient()];
    await stage.measureDelay(async () => {
      const listed = await stage.listedClientIds();
      return ids.every((id) => listed.includes(id));
    });
    const looks: string[][] = [];
    for (let look = 0; look < 6; look += 1) {
      const { resources } = await stage.requests.list(stage.clientsPath);
      looks.push(resources.map(({ attributes }) => String(attributes['created-at'])));
    }
    for (const id of ids) await stage.deleteClient(id);
    const orders = [...new Set(looks.map((times) => times.join()))];
    if (orders.length > 1) return { answer: 'another in each answer' };
    return { answer: describeOrder(looks[0] ?? []) };
  }),
  'rate-limit headers': row('Rate limit', ['limit 30', 'none'], async (stage) => {
    const { headers } = await stage.requests.read(stage.clientsPath);
    const sent = rateHeaders.filter((name) => headers.has(name));
    if (sent.length === 0) return { answer: 'none' };
    const limit = Number(headers.get('x-ratelimit-limit') ?? headers.get('ratelimit-limit') ?? Number.NaN);
    return { answer: Number.isNaN(limit) ? 'no limit' : `limit ${limit}`, detail: sent.join(' ') };
  }),
  'a created client is listed': row('Listing after a create', 'at once', async (stage) => {
    const id = await stage.newClient();
    const delay = await stage.measureDelay(async () => (await stage.listedClientIds()).includes(id));
    await stage.deleteClient(id);
    return delay;
  }),
  'a created trigger is listed': row('Listing after a create', 'at once', (stage) =>
    stage.withTrigger((id) => stage.measureDelay(async () => (await stage.listedTriggerIds()).includes(id))),
  ),
  'a deleted client leaves the list': row('Reading after a delete', 'at once', async (stage) => {
    const id = await stage.newClient();
    await stage.measureDelay(async () => (await stage.listedClientIds()).includes(id));
    await stage.deleteClient(id);
    return stage.measureDelay(async () => !(await stage.listedClientIds()).includes(id));
  }),
  'a deleted trigger leaves the list': row('Reading after a delete', 'at once', (stage) =>
    stage.withTrigger(async (id) => {
      await stage.measureDelay(async () => (await stage.listedTriggerIds()).includes(id));
      await stage.deleteTrigger(id);
      return stage.measureDelay(async () => !(await stage.listedTriggerIds()).includes(id));
    }),
  ),
  "a deleted client's own page is gone": row('Reading after a delete', 'at once', async (stage) => {
    const id = await stage.newClient();
    await stage.deleteClient(id);
    return stage.measureDelay(async () => (await stage.requests.read(`/oauth-clients/${id}`)).status === 404);
  }),
  'PATCH without an agent pool': row('Agent pool left out of a PATCH', 'kept', async (stage) => {
    const { agentPoolId } = stage.places;
    if (agentPoolId === undefined) return undefined;
    const pool = { 'agent-pool': { data: { id: agentPoolId, type: 'agent-pools' } } };
    const id = await stage.newClient({ relationships: pool });
    const body = patchBody({ name: stage.newName() });
    await stage.requests.send('PATCH', `/oauth-clients/${id}`, { body });
    const after = (await stage.readClient(id)).agentPoolId;
    await stage.deleteClient(id);
    return { answer: after === undefined ? 'cleared' : 'kept' };
  }),
  'an unknown agent pool': row('An unknown agent pool', '422', async (stage) => {
    const pool = { 'agent-pool': { data: { id: unusedId('apool'), type: 'agent-pools' } } };
    const path = `/oauth-clients/${await stage.client()}`;
    return describeStatus(await stage.requests.send('PATCH', path, { body: patchBody({}, pool) }));
  }),
  'oauth-token-string in PATCH': row(
    '`oauth-token-string` in PATCH',
    (settings) => (has(settings, 'tokenInPatch') ? 'taken' : 'ignored'),
    async (stage) => {
      const without = { 'oauth-token-string': undefined };
      const created = await stage.createClient(stage.newName(), { attributes: without });
      // Some services need a token or a key in every create.
      const id = await stage.readClientId(created);
      if (id === undefined || created.listAt('/data/relationships/oauth-tokens/data').length > 0) {
        return undefined;
      }
      const path = `/oauth-clients/${id}`;
      const body = patchBody({ 'oauth-token-string': stage.vcs.token });
      const changed = await stage.requests.send('PATCH', path, { body });
      const tokens = (await stage.requests.read(path)).listAt('/data/relationships/oauth-tokens/data');
      await stage.requests.send('DELETE', path);
      if (changed.status !== 200) return describeStatus(changed);
      return { answer: tokens.length > 0 ? 'taken' : 'ignored' };
    },
  ),
  'tokens of a client that was created with a token string': row(
    'Tokens after a create',
    '1',
    async (stage) => {
      const answer = await stage.requests.read(`/oauth-clients/${await stage.client()}`);
      return { answer: String(answer.listAt('/data/relationships/oauth-tokens/data').length) };
    },
  ),
  'two clients of one name': row('Whether names are unique', '201', async (stage) => {
    const name = stage.newName();
    const answers = [await stage.createClient(name), await stage.createClient(name)];
    for (const answer of answers) {
      const id = await stage.readClientId(answer);
      if (id !== undefined) await stage.deleteClient(id);
    }
    return describeStatus(answers[1] as ServiceResponse);
  }),
  'include on the outbound list': row(
    'Include on the outbound list',
    (settings) => (has(settings, 'includeOnOutbound') ? 'included' : 'nothing included'),
    (stage) =>
      stage.withTrigger(async () => {
        const path = triggersPath(stage.places.workspaceIds[0], 'outbound');
        await stage.measureDelay(async () => (await stage.requests.list(path)).resources.length > 0);
        const answer = await stage.requests.read(`${path}&include=workspace%2Csourceable`);
        if (answer.status !== 200) return describeStatus(answer);
        return { answer: answer.listAt('/included').length > 0 ? 'included' : 'nothing included' };
      }),
  ),
  'an unknown include': row('Unknown `include`', '400', async (stage) =>
    describeStatus(await stage.requests.read(`${stage.clientsPath}?include=tether_acceptance`)),
  ),
  'shape of a 404': row('Members of an error', ['detail, status, title', 'status, title'], async (stage) => {
    const answer = await stage.requests.read(`/oauth-clients/${unusedId('oc')}`);
    return { answer: describeErrors(answer), detail: String(answer.status) };
  }),
  'shape of a 422': row('Members of an error', 'detail, source.pointer, status, title', async (stage) => {
    const answer = await stage.requests.send('POST', stage.clientsPath, { body: patchBody({}) });
    return { answer: describeErrors(answer).replace(', several errors', ''), detail: String(answer.status) };
  }),
  'shape of a 400': row('Members of an error', 'detail, source.parameter, status, title', async (stage) => {
    const [, path = ''] = /^([^?]*)/.exec(inbound(stage)) ?? [];
    const answer = await stage.requests.read(path);
    return { answer: describeErrors(answer), detail: String(answer.status) };
  }),
  'what the answer about a client lacks': row(
    '`relationships.projects` without include',
    'none',
    async (stage) =>
      lackingMembers(await stage.requests.read(`/oauth-clients/${await stage.client()}`), clientMembers),
  ),
  'what the answer about a trigger lacks': row('Unknown members in answers', 'none', (stage) =>
    stage.withTrigger(async (id) =>
      lackingMembers(await stage.requests.read(`/run-triggers/${id}`), triggerMembers),
    ),
  ),
  'a method that a path does not have': row('Methods that a path does not have', '405', async (stage) => {
    const answer = await stage.requests.send('PUT', stage.clientsPath, { body: {} });
    return { answer: String(answer.status), detail: answer.headers.has('allow') ? 'with Allow' : '' };
  }),
  'POST of another media type': row(
    'Content-Type missing or wrong on POST, PATCH, DELETE',
    '415',
    async (stage) =>
      describeStatus(
        await stage.requests.send('POST', stage.clientsPath, { body: {}, contentType: 'text/plain' }),
      ),
  ),
  'the trigger list without its filter': row('Members of an error', '400', async (stage) => {
    const [, path = ''] = /^([^?]*)/.exec(inbound(stage)) ?? [];
    return describeStatus(await stage.requests.read(path));
  }),
  'a create without attributes': row('Members of an error', '422', async (stage) =>
    describeStatus(await stage.requests.send('POST', stage.clientsPath, { body: patchBody({}) })),
  ),
  'a request without a token': row('Missing or unknown token', '401', async (stage) =>
    describeStatus(await stage.requests.send('GET', stage.clientsPath, { isAuthorized: false })),
  ),
  'an id of impossible shape': row('Ids of impossible shape', '404', async (stage) =>
    describeStatus(await stage.requests.read('/oauth-clients/tether-acceptance')),
  ),
  'lists of workspaces and projects': row(
    'Names of projects, workspaces and agent pools',
    (settings) => (has(settings, 'lookupByName') ? '200 and 200' : '404 and 404'),
    async (stage) => {
      const base = `/organizations/${encodeURIComponent(stage.settings.organization)}`;
      const answers = [
        await stage.requests.read(`${base}/workspaces?page%5Bsize%5D=1`),
        await stage.requests.read(`${base}/projects?page%5Bsize%5D=1`),
      ];
      return { answer: answers.map(({ status }) => status).join(' and ') };
    },
  ),
  'which workspaces use a client': row(
    'Which workspaces use a client',
    (settings) => (has(settings, 'affectedWorkspaces') ? 'told' : 'not told'),
    async (stage) => {
      const path = `/oauth-clients/${await stage.client()}?show_affected_workspaces=true`;
      const count = (await stage.requests.read(path)).at('/data/attributes/affected-workspaces-count');
      return { answer: typeof count === 'number' ? 'told' : 'not told' };
    },
  ),
  'two creates for one target at once': row(
    'Several creates for one target at once',
    '201 and 201',
    (stage) => {
      const [first, second, third] = stage.places.workspaceIds;
      return twoTriggers(
        stage,
        () => Promise.all([stage.createTrigger(third, first), stage.createTrigger(third, second)]),
        (answers) => ({
          answer: answers
            .map(({ status }) => status)
            .sort()
            .join(' and '),
        }),
      );
    },
  ),
  'a workspace that triggers itself': row('Source equal to target', '422', async (stage) => {
    // Where it is accepted, its runs would never end.
    if (!stage.settings.isLoopback) return undefined;
    const [first] = stage.places.workspaceIds;
    return twoTriggers(
      stage,
      async () => [await stage.createTrigger(first, first)],
      ([answer]) => describeStatus(answer as ServiceResponse),
    );
  }),
  'a cycle of triggers': row('Cycles of triggers', '201', async (stage) => {
    if (!stage.settings.isLoopback) return undefined;
    const [first, second] = stage.places.workspaceIds;
    return stage.withTrigger(() =>
      twoTriggers(
        stage,
        async () => [await stage.createTrigger(first, second)],
        ([answer]) => describeStatus(answer as ServiceResponse),
      ),
    );
  }),
} as const satisfies Readonly<Record<string, ProbeRow>>;

export type ProbeName = keyof typeof probe;

/** Rows of docs/spec-gaps.md that the suite's means cannot show, with the reason. */
export const notObservable: readonly { readonly gap: string; readonly because: string }[] = [
  { gap: 'Sources per target', because: 'needs more workspaces' },
  { gap: 'Whether lists leave out what the caller may not read', because: 'needs a weaker token' },
  { gap: 'Permissions of the other client operations', because: 'needs a weaker token' },
  { gap: 'A related workspace the caller may not read', because: 'needs a weaker token' },
  { gap: 'A project of another organization in a create', because: 'needs another organization' },
  { gap: 'A source in another organization', because: 'needs another organization' },
  { gap: 'Rate limit', because: 'its algorithm: would take the rate of others' },
  { gap: 'A name that is left out', because: 'a client without a name could not be found again' },
  {
    gap: 'organization-scoped true together with projects',
    because: 'would offer a client to the whole organization',
  },
];
