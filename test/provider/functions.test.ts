/** The functions that programs of every language read with: what they give, how often they ask, and what they refuse. */
import assert from 'node:assert/strict';
import { readFunctions, shownOf } from '../../provider/functions';
import { resourceTypeOf } from '../../provider/resource-types';
import type { Session } from '../../provider/session';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { ProviderHandlers } from '../support/provider-handlers';
import { acme } from '../support/world';

type Inputs = Readonly<Record<string, unknown>>;

const client = { serviceProvider: 'github', httpUrl: 'https://a', apiUrl: 'https://a/api' };
const one = { organization: 'acme', id: 'oc-one' };

describe('functions that read', () => {
  let provider: ProviderHandlers;
  before(async () => {
    provider = await ProviderHandlers.start(acme, { profile: 'hcp-terraform' });
    provider.variables.TETHER_PROFILE = 'hcp-terraform';
    provider.service.patchSeed({
      organizations: {
        acme: {
          oauthClients: {
            'oc-one': { ...client, name: 'One' },
            'oc-two': { ...client, name: 'Same' },
            'oc-three': { ...client, name: 'Same' },
          },
          projects: { 'prj-twice': { name: 'prj-web' } },
          workspaces: { 'ws-named': { name: 'app (old)' } },
          runTriggers: { 'rt-1': { workspace: 'ws-app', sourceable: 'ws-dns' } },
        },
        other: { oauthClients: { 'oc-other': { ...client, name: 'Other' } } },
      },
      tokens: {
        'owner-token': { other: 'owner' },
        'stranger-token': { other: 'owner' },
      },
    });
  });
  after(() => provider.close());

  function call(name: string, inputs: Inputs, session: Session = provider.newRun()) {
    const read = readFunctions.find((each) => each.name === name);
    assert.ok(read, name);
    return read.call(session, inputs);
  }
  const requests = () => {
    const routes = provider.service.requests().map(({ route }) => route);
    provider.service.clearRequests();
    return routes;
  };

  it('give a client by id and by name, with every readable field and output, as the table says', async () => {
    const byName = await call('getOAuthClient', { organization: 'acme', name: 'One', id: null });
    assert.deepEqual(byName, await call('getOAuthClient', one));
    const { fields, outputs } = definitionOf('OAuthClient', registry);
    const readable = Object.keys(fields).filter((name) => !fields[name]?.writeOnly);
    assert.deepEqual(Object.keys(byName).sort(), ['id', ...readable, ...Object.keys(outputs)].sort());
    assert.deepEqual(Object.keys(shownOf(resourceTypeOf('OAuthClient'))).sort(), Object.keys(byName).sort());
  });

  it('list the clients of an organization and the triggers of a workspace', async () => {
    const { clients } = await call('listOAuthClients', { organization: 'acme' });
    assert.deepEqual((clients as Inputs[]).map(({ id, name }) => `${id} ${name}`).sort(), [
      'oc-one One',
      'oc-three Same',
      'oc-two Same',
    ]);
    const inbound = await call('listRunTriggers', { workspaceId: 'ws-app', direction: 'inbound' });
    assert.deepEqual(
      (inbound.triggers as Inputs[]).map(({ id, workspaceId, sourceableId }) => [
        id,
        workspaceId,
        sourceableId,
      ]),
      [['rt-1', 'ws-app', 'ws-dns']],
    );
    assert.deepEqual(await call('listRunTriggers', { workspaceId: 'ws-app', direction: 'outbound' }), {
      triggers: [],
    });
  });

  it('give the id of a workspace and of a project by name', async () => {
    assert.deepEqual(await call('getWorkspace', { organization: 'acme', name: 'app (old)' }), {
      organization: 'acme',
      id: 'ws-named',
      name: 'app (old)',
    });
    const project = await call('getProject', { organization: 'acme', name: 'prj-payments' });
    assert.equal(project.id, 'prj-payments');
  });

  it('read one list for many who ask, and again what the list did not show', async () => {
    const session = provider.newRun();
    requests();
    await Promise.all([
      ...Array.from({ length: 20 }, () => call('getOAuthClient', one, session)),
      ...Array.from({ length: 20 }, () =>
        call('getOAuthClient', { organization: 'acme', name: 'One' }, session),
      ),
      call('listOAuthClients', { organization: 'acme' }, session),
    ]);
    assert.equal(requests().length, 1);
    provider.service.patchSeed({
      organizations: { acme: { oauthClients: { 'oc-later': { ...client, name: 'Later' } } } },
    });
    const later = await call('getOAuthClient', { organization: 'acme', name: 'Later' }, session);
    assert.equal(later.id, 'oc-later');
    assert.equal(requests().length, 1);
  });

  it('look many names up at once', async () => {
    const session = provider.newRun();
    requests();
    const names = ['ws-app', 'ws-dns', 'ws-web', 'ws-docs', 'app (old)'];
    const found = await Promise.all(
      [...names, ...names].map((name) => call('getWorkspace', { organization: 'acme', name }, session)),
    );
    assert.deepEqual(
      found.map(({ name }) => name),
      [...names, ...names],
    );
    assert.deepEqual(requests(), ['/organizations/:organization_name/workspaces']);
  });

  const refused: readonly (readonly [string, string, Inputs, RegExp])[] = [
    [
      'nobody of that name',
      'getOAuthClient',
      { organization: 'acme', name: 'None' },
      /^there is no OAuth client named "None" in acme$/,
    ],
    [
      'nobody of that id',
      'getOAuthClient',
      { organization: 'acme', id: 'oc-none' },
      /^there is no OAuth client oc-none in acme$/,
    ],
    [
      'a client of another organization',
      'getOAuthClient',
      { organization: 'acme', id: 'oc-other' },
      /^there is no OAuth client oc-other in acme$/,
    ],
    [
      'two of one name',
      'getOAuthClient',
      { organization: 'acme', name: 'Same' },
      /^2 OAuth clients are named "Same" in acme \(oc-\w+, oc-\w+\): give the id$/,
    ],
    [
      'neither id nor name',
      'getOAuthClient',
      { organization: 'acme' },
      /^getOAuthClient takes either the id or the name of the client$/,
    ],
    [
      'an organization that is not there',
      'getOAuthClient',
      { organization: 'nope', name: 'x' },
      /^nobody can tell the OAuth clients of nope: .* \(404\)\. Check the name, and that the token may see it$/,
    ],
    [
      'an id where its list is not there',
      'getOAuthClient',
      { organization: 'nope', id: 'oc-none' },
      /^nobody can tell whether there is an OAuth client oc-none: /,
    ],
    ['no organization', 'listOAuthClients', {}, /^listOAuthClients: organization: is required$/],
    [
      'an id of the wrong kind',
      'listRunTriggers',
      { workspaceId: 'prj-1', direction: 'inbound' },
      /^listRunTriggers: workspaceId: "prj-1" is the id of a project; /,
    ],
    [
      'no such direction',
      'listRunTriggers',
      { workspaceId: 'ws-app', direction: 'in' },
      /^listRunTriggers: direction: must be inbound or outbound, not "in"$/,
    ],
    [
      'a mistyped input',
      'getWorkspace',
      { organisation: 'acme', organization: 'acme', name: 'x' },
      /organisation: there is no such property: did you mean `organization`\?/,
    ],
    [
      'a workspace that nobody sees',
      'getWorkspace',
      { organization: 'acme', name: 'ws-ap' },
      /^there is no workspace named "ws-ap" in acme that this token can see: did you mean `ws-app`\?$/,
    ],
    [
      'two projects of one name',
      'getProject',
      { organization: 'acme', name: 'prj-web' },
      /^2 are a project named "prj-web" in acme \(prj-\w+, prj-\w+\): write the id that is meant$/,
    ],
    [
      'names of an organization that is not there',
      'getProject',
      { organization: 'nope', name: 'x' },
      /^nobody can tell which projects there are in nope: /,
    ],
  ];
  for (const [what, name, inputs, message] of refused) {
    it(`say in a sentence: ${what}`, async () => {
      await assert.rejects(call(name, inputs), { message });
    });
  }

  it('say that nobody can tell, where the token may not list the clients', async () => {
    const { TETHER_TOKEN: token = '' } = provider.variables;
    provider.variables.TETHER_TOKEN = 'stranger-token';
    await assert.rejects(call('getOAuthClient', { organization: 'acme', name: 'One' }), {
      message: /^nobody can tell the OAuth clients of acme: /,
    });
    provider.variables.TETHER_TOKEN = token;
  });

  it('look no names up where the profile has no lists of them', async () => {
    provider.variables.TETHER_PROFILE = 'default';
    const message =
      'getWorkspace: a service of profile `default` cannot look names up: write the id (`ws-…`), or choose another `tether:profile`';
    await assert.rejects(call('getWorkspace', { organization: 'acme', name: 'x' }), { message });
    provider.variables.TETHER_PROFILE = 'hcp-terraform';
  });
});
