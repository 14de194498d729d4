/** What a program gives is checked before anything is asked of the service, compared, and never printed where it is secret. */
import assert from 'node:assert/strict';
import type { Props, ResourceProvider } from '../../provider/resource-provider';
import { githubFields } from '../support/acme';
import { providersFor } from '../support/provider-session';

const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const { OAuthClient, ProjectAttachment, RunTrigger, InboundRunTriggers } =
  providersFor('http://127.0.0.1:9/api/v2');
const github = { organization: 'acme', ...githubFields };

async function mistakes(
  provider: ResourceProvider,
  news: Props,
  olds: Props = {},
): Promise<readonly string[]> {
  const { failures = [] } = await provider.check(olds, news);
  assert.ok(failures.every(({ property }) => property === ''));
  return failures.map(({ reason }) => reason);
}

describe('check', () => {
  it('names every mistake with its path and no secret', async () => {
    const reasons = await mistakes(OAuthClient, {
      ...github,
      serviceProvider: 'provider_x',
      httpUrl: 'ftp://canary:canary@git.example.com',
      oauthTokenString: ['canary'],
      secret: '',
      privateKey: 'canary\u202e',
      projectIds: ['prj-1', 'ws-1', 7 as unknown as string],
      organizationScoped: 'yes',
      adoptId: 'ws-1',
      allowDuplicate: true,
      deletionProtection: true,
    });
    const starts = [
      'deletionProtection: there is no such property',
      'serviceProvider: "provider_x" is not a serviceProvider of profile `default`',
      'httpUrl: holds a user name or password',
      'oauthTokenString: must be a string',
      'organizationScoped: must be a boolean',
      'projectIds: "7" is not an id',
      'projectIds: "ws-1" is the id of a workspace',
      'adoptId: "ws-1" is the id of a workspace',
      'allowDuplicate: must be a list, not of type boolean',
      'secret: is empty',
      'privateKey: holds the invisible character',
    ];
    assert.equal(reasons.length, starts.length, reasons.join('\n'));
    for (const [index, start] of starts.entries())
      assert.ok(reasons[index]?.startsWith(start), reasons[index]);
    assert.doesNotMatch(reasons.join(), /canary/);
  });

  it('names what is missing: always for a required input, for a create what its service provider needs', async () => {
    assert.deepEqual(await mistakes(ProjectAttachment, { projectId: 'prj-1' }), [
      'oauthClientId: is required',
    ]);
    const server = { ...github, serviceProvider: 'provider_c_server' };
    assert.deepEqual(await mistakes(OAuthClient, server), [
      'privateKey: provider_c_server needs it to be created',
    ]);
    assert.deepEqual(await mistakes(OAuthClient, { ...server, adoptId: 'oc-9' }), []);
    assert.deepEqual(await mistakes(OAuthClient, server, server), []);
    assert.match(
      (await mistakes(RunTrigger, { workspaceId: 'ws-1', sourceableId: 'ws-1' })).join(),
      /itself/,
    );
  });

  it('takes what a preview does not know as it is', async () => {
    const given = { ...github, name: unknown, organizationScoped: unknown, projectIds: [unknown, 'prj-1'] };
    assert.deepEqual(await mistakes(OAuthClient, given), []);
    assert.deepEqual(
      await mistakes(OAuthClient, { ...github, projectIds: unknown, oauthTokenString: unknown }),
      [],
    );
    // An input that is not known yet is not missing.
    assert.deepEqual(await mistakes(ProjectAttachment, { oauthClientId: unknown, projectId: 'prj-1' }), []);
    const server = { ...github, serviceProvider: 'provider_c_server', privateKey: unknown };
    assert.deepEqual(await mistakes(OAuthClient, server), []);
  });

  it('gives equal wishes equal inputs: null clears or is nothing, and sets are sorted', async () => {
    const news = {
      ...github,
      name: null,
      key: null,
      agentPoolId: null,
      projectIds: ['prj-3', 'prj-1', 'prj-2', 'prj-3'],
    };
    const { inputs } = await OAuthClient.check({ ...github, projectIds: ['prj-2', 'prj-9'] }, news);
    assert.deepEqual(inputs, {
      ...github,
      name: null,
      agentPoolId: null,
      projectIds: ['prj-1', 'prj-2', 'prj-3'],
    });
  });
});

describe('diff', () => {
  const values = { ...github, projectIds: ['prj-1', 'prj-2'], key: null };
  const given = { ...github, projectIds: ['prj-2', 'prj-1'], oauthTokenString: 'one' };
  const state = OAuthClient.toState(given, values);
  const diff = (news: Props, olds = state) => OAuthClient.diff('oc-1', olds, news);
  const same = { replaces: [], changes: false };

  for (const [what, news, expected] of [
    ['nothing', given, same],
    ['the order of a set', { ...given, projectIds: ['prj-1', 'prj-2'] }, same],
    ['a name', { ...given, name: 'Other' }, { replaces: [] }],
    ['a name that goes', { ...given, name: null }, { replaces: [] }],
    [
      'a token, which this API cannot change',
      { ...given, oauthTokenString: 'two' },
      { replaces: ['oauthTokenString'] },
    ],
    ['a URL that is not known yet', { ...given, apiUrl: unknown }, { replaces: ['apiUrl'] }],
    ['an input that is left out from now on', { ...github, oauthTokenString: 'one' }, { replaces: [] }],
    ['an input that is given from now on', { ...given, organizationScoped: true }, { replaces: [] }],
    [
      'only null, which the engine takes for nothing',
      { ...given, agentPoolId: null },
      { replaces: [], changes: true },
    ],
    ['the list of duplicates', { ...given, allowDuplicate: ['oc-2'] }, { replaces: [] }],
    ['the client to adopt, which it is already', { ...given, adoptId: 'oc-1' }, { replaces: [] }],
  ] as const) {
    it(`tells a change of ${what}`, async () => assert.deepEqual(await diff(news), expected));
  }

  it('updates a token in place where the profile says that the service can', async () => {
    const { OAuthClient: client } = providersFor('http://127.0.0.1:9/api/v2', {
      'tether:profile': 'hcp-terraform',
    });
    const changed = await client.diff('oc-1', state, { ...given, oauthTokenString: 'two' });
    assert.deepEqual(changed, { replaces: [] });
  });

  it('tells the members of a set', async () => {
    const olds = { workspaceId: 'ws-1', sourceableIds: ['ws-2'], address: 'http://127.0.0.1:9/api/v2' };
    const news = { workspaceId: 'ws-1', sourceableIds: ['ws-2', 'ws-3'] };
    assert.deepEqual(await InboundRunTriggers.diff('ws-1/inbound', olds, news), { replaces: [] });
    const moved = await InboundRunTriggers.diff('ws-1/inbound', olds, { ...news, workspaceId: 'ws-4' });
    assert.deepEqual(moved, { replaces: ['workspaceId'] });
  });
});
