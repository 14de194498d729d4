/** The profile of what export writes: the one it was given, and that of the manifests there. */
import assert from 'node:assert/strict';
import { acmeWith, command, exported, filesThere, made } from '../../support/export-world';
import { head, World } from '../../support/world';

describe('export under a profile', () => {
  let world: World;
  afterEach(() => world.close());

  it('writes the profile that it was given, and what its providers take together', async () => {
    const url = { httpUrl: 'https://bb.example.com', apiUrl: 'https://bb.example.com' };
    world = await World.start(
      acmeWith({
        oauthClients: {
          'oc-1': {
            ...url,
            serviceProvider: 'bitbucket_data_center',
            name: 'DC',
            key: 'k',
            rsaPublicKey: 'ssh-rsa AAA',
          },
          'oc-2': { ...url, serviceProvider: 'ado_server', name: 'ADO' },
        },
      }),
      { profile: 'hcp-terraform' },
    );
    await exported(world, 0, {}, [...command, '--profile', 'hcp-terraform']);
    const text = world.read('oauth-clients.tether.yaml');
    assert.match(text, /^profile: hcp-terraform$/m);
    assert.match(text, /^ {4}secret:\n {6}fromEnv: DC_SECRET\n {4}rsaPublicKey: ssh-rsa AAA/m);
    assert.match(text, /# privateKey: \{ fromEnv: ADO_PRIVATE_KEY \}/);
  });

  it('names the profile of a flag in its files where no manifest does', async () => {
    world = await World.start(
      acmeWith({ oauthClients: { 'oc-1': { ...made, serviceProvider: 'github', name: 'GitHub' } } }),
      { profile: 'hcp-terraform' },
    );
    world.write('main.tether.yaml', head);
    await exported(world, 0, {}, [...command, '--profile', 'hcp-terraform']);
    assert.match(world.read('oauth-clients.tether.yaml'), /^profile: hcp-terraform$/m);
  });

  it('is refused under another profile than the manifests say, and takes its files back', async () => {
    world = await World.start(
      acmeWith({ oauthClients: { 'oc-1': { ...made, serviceProvider: 'github' } } }),
      {
        profile: 'hcp-terraform',
      },
    );
    world.write('main.tether.yaml', `profile: default\n${head}`);
    const { stderr } = await world.expect(1, [...command, '--profile', 'hcp-terraform']);
    assert.match(stderr, /profile-clash/);
    assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml']);
  });
});
