/** The functions of `tether-iac/pulumi` that read without a resource. */
import assert from 'node:assert/strict';
import { getOAuthClient, listRunTriggers } from '../../provider/pulumi';
import { definitionOf } from '../../resources';
import { createService, type Service } from '../../service';
import { acme } from '../support/world';

describe('reading from a program', () => {
  let service: Service;
  const { TETHER_ADDRESS, TETHER_TOKEN } = process.env;
  before(async () => {
    service = await createService({ seed: acme });
    const body = { serviceProvider: 'provider_a', httpUrl: 'https://a', apiUrl: 'https://a/api' };
    service.patchSeed({
      organizations: {
        acme: {
          oauthClients: {
            'oc-one': { ...body, name: 'One' },
            'oc-two': { ...body, name: 'Same' },
            'oc-three': { ...body, name: 'Same' },
          },
          runTriggers: { 'rt-1': { workspace: 'ws-app', sourceable: 'ws-dns' } },
        },
      },
    });
    process.env.TETHER_ADDRESS = service.url;
    process.env.TETHER_TOKEN = 'owner-token';
  });
  after(async () => {
    restore('TETHER_ADDRESS', TETHER_ADDRESS);
    restore('TETHER_TOKEN', TETHER_TOKEN);
    await service.close();
  });

  it('finds a client by id and by name, with every readable field and output', async () => {
    const byName = await getOAuthClient({ organization: 'acme', name: 'One' });
    assert.deepEqual(byName, await getOAuthClient({ organization: 'acme', id: 'oc-one' }));
    const { fields, outputs } = definitionOf('OAuthClient');
    const readable = Object.keys(fields).filter((name) => !fields[name]?.writeOnly);
    assert.deepEqual(Object.keys(byName).sort(), ['id', ...readable, ...Object.keys(outputs)].sort());
  });

  const mistakes: readonly (readonly [string, Parameters<typeof getOAuthClient>[0], RegExp])[] = [
    ['nobody', { organization: 'acme', name: 'None' }, /^there is no OAuth client named "None" in acme$/],
    [
      'two of one name',
      { organization: 'acme', name: 'Same' },
      /^2 OAuth clients are named "Same" in acme \(oc-/,
    ],
    ['neither id nor name', { organization: 'acme' }, /^getOAuthClient takes either the id or the name/],
    ['an organization that is not there', { organization: 'nope', id: 'oc-1' }, /^GET \/organizations\/nope/],
  ];
  for (const [what, args, message] of mistakes) {
    it(`says what is wrong with ${what}, on one line`, async () => {
      await assert.rejects(getOAuthClient(args), { message });
    });
  }

  it('lists the triggers of a workspace', async () => {
    const inbound = await listRunTriggers({ workspaceId: 'ws-app', direction: 'inbound' });
    assert.deepEqual(
      inbound.map((one) => [one.id, one.sourceableId]),
      [['rt-1', 'ws-dns']],
    );
    assert.deepEqual(await listRunTriggers({ workspaceId: 'ws-app', direction: 'outbound' }), []);
  });
});

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
