/** The functions of `tether-iac/pulumi` that read without a resource. */
import assert from 'node:assert/strict';
import { ComponentResource, ProviderResource, secret } from '@pulumi/pulumi';
import {
  getOAuthClient,
  getOAuthClientOutput,
  listRunTriggers,
  listRunTriggersOutput,
  Provider,
} from '../../provider/pulumi';
import { definitionOf } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { createService, type Service } from '../../service';
import { declaredBy, knownValueOf } from '../support/pulumi-program';
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
    const { fields, outputs } = definitionOf('OAuthClient', registry);
    const readable = Object.keys(fields).filter((name) => !fields[name]?.writeOnly);
    assert.deepEqual(Object.keys(byName).sort(), ['id', ...readable, ...Object.keys(outputs)].sort());
  });

  type Asked = Parameters<typeof getOAuthClient>[0];
  const mistakes: readonly (readonly [string, Asked, RegExp])[] = [
    ['nobody', { organization: 'acme', name: 'None' }, /^there is no OAuth client named "None" in acme$/],
    [
      'two of one name',
      { organization: 'acme', name: 'Same' },
      /^2 OAuth clients are named "Same" in acme \(oc-/,
    ],
    // As a program in JavaScript may ask.
    [
      'neither id nor name',
      { organization: 'acme' } as Asked,
      /^getOAuthClient takes either the id or the name/,
    ],
    ['an organization that is not there', { organization: 'nope', id: 'oc-1' }, /^GET \/organizations\/nope/],
  ];
  for (const [what, args, message] of mistakes) {
    it(`says what is wrong with ${what}, on one line`, async () => {
      await assert.rejects(getOAuthClient(args), { message });
    });
  }

  it('finds a client whose id is only known later', async () => {
    const found = getOAuthClientOutput({
      organization: secret('acme'),
      id: secret('oc-one'),
      name: undefined,
    });
    assert.deepEqual(await knownValueOf(found), await getOAuthClient({ organization: 'acme', id: 'oc-one' }));
    const triggers = listRunTriggersOutput({ workspaceId: secret('ws-app'), direction: 'inbound' });
    assert.deepEqual(
      await knownValueOf(triggers),
      await listRunTriggers({ workspaceId: 'ws-app', direction: 'inbound' }),
    );
  });

  it('reads a list once for all who ask before it is read, and again for who asks later', async () => {
    service.clearRequests();
    const ids = ['oc-one', 'oc-two', 'oc-three'];
    const asked = Array.from({ length: 40 }, (_, index) => ids[index % ids.length] ?? '');
    const found = await Promise.all(asked.map((id) => getOAuthClient({ organization: 'acme', id })));
    assert.deepEqual(
      found.map((one) => one.id),
      asked,
    );
    assert.equal(service.requests().length, 1);
    const later = { serviceProvider: 'provider_a', httpUrl: 'https://b', apiUrl: 'https://b/api' };
    service.patchSeed({ organizations: { acme: { oauthClients: { 'oc-later': later } } } });
    assert.equal((await getOAuthClient({ organization: 'acme', id: 'oc-later' })).id, 'oc-later');
  });

  /** What a program reads with, and what comes of it. */
  const reads = async (read: () => Promise<unknown>, config = {}): Promise<unknown> => {
    let result: unknown;
    await declaredBy(async () => {
      result = await read().catch((error: Error) => error.message);
    }, config);
    return result;
  };
  const one = { organization: 'acme', id: 'oc-one' };

  it('takes the account of a given provider, of a parent, or of the stack', async () => {
    const expected = await getOAuthClient(one);
    const { TETHER_ADDRESS: address = '', TETHER_TOKEN: token } = process.env;
    delete process.env.TETHER_ADDRESS;
    delete process.env.TETHER_TOKEN;
    const given = () => new Provider('given', { address, token: 'owner-token', rate: 100 });
    const answers = [
      await reads(() => getOAuthClient(one, { provider: given() })),
      await reads(() => {
        const parent = new ComponentResource('shop:index:Place', 'place', {}, { providers: [given()] });
        return getOAuthClient(one, { parent });
      }),
      await reads(() => getOAuthClient(one), {
        'tether:address': address,
        'tether:token': 'owner-token',
        'tether:rate': '100',
      }),
      await reads(() => getOAuthClient(one)),
    ];
    process.env.TETHER_ADDRESS = address;
    process.env.TETHER_TOKEN = token;
    assert.deepEqual(answers.slice(0, 3), [expected, expected, expected]);
    assert.match(String(answers[3]), /^no address: .*; no token: /);
  });

  it('takes no provider that does not tell what it was given', async () => {
    const message = await reads(() =>
      getOAuthClient(one, { provider: new Bare('pulumi-nodejs', 'bare', {}) }),
    );
    assert.equal(
      message,
      'functions that read need a tether.Provider: any other does not tell what it was given',
    );
  });

  it('lists the triggers of a workspace', async () => {
    const inbound = await listRunTriggers({ workspaceId: 'ws-app', direction: 'inbound' });
    assert.deepEqual(
      inbound.map((one) => [one.id, one.sourceableId]),
      [['rt-1', 'ws-dns']],
    );
    assert.deepEqual(await listRunTriggers({ workspaceId: 'ws-app', direction: 'outbound' }), []);
  });
});

/** A provider of the SDK's own making, as programs use for other packages. */
class Bare extends ProviderResource {}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
