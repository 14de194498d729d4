/** What a manifest declares as a program: names, aliases, approvals and refusals, without an engine. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ComponentResource } from '@pulumi/pulumi';
import { Manifest } from '../../provider/pulumi';
import { declaredBy } from '../support/pulumi-program';
import { temporaryFolder } from '../support/temporary-folder';
import { bareHead, github, head } from '../support/world';

describe('a manifest as a program', () => {
  const folder = temporaryFolder();
  const { GIT_TOKEN } = process.env;
  before(() => {
    process.env.GIT_TOKEN = 'canary';
  });
  after(() => {
    if (GIT_TOKEN === undefined) delete process.env.GIT_TOKEN;
    else process.env.GIT_TOKEN = GIT_TOKEN;
  });

  const write = (text: string, name = 'acme.tether.yaml'): string => {
    const file = join(folder(), name);
    writeFileSync(file, text);
    return file;
  };
  const declared = (text: string, opts = {}) => {
    const path = write(text);
    return declaredBy(() => {
      new Manifest('m', { path }, opts);
    });
  };

  it('declares each entry under its address, with values, ends and secrets', async () => {
    const all = await declared(
      `${head}${github}    projects: [search, payments]
    agentPool: dmz
    name: null
`
        .replace('    name: GitHub\n', '')
        .concat(`projectAttachments:
  - { oauthClient: oc-theirs, project: payments }
runTriggers:
  - { target: docs, source: app }
  - { target: app, sources: [network, dns] }
  - { source: ws-jobs, targets: [ws-web] }
`),
    );
    const inputs = (name: string) => {
      const { __provider, createKey, ...rest } = all.get(`m/acme:${name}`)?.inputs ?? {};
      return rest;
    };
    assert.deepEqual([...all.keys()].filter((name) => name !== 'm').sort(), [
      'm/acme:InboundRunTriggers/app',
      'm/acme:OAuthClient/github',
      'm/acme:OutboundRunTriggers/jobs',
      'm/acme:ProjectAttachment/oc-theirs/payments',
      'm/acme:RunTrigger/docs/app',
    ]);
    assert.deepEqual(inputs('OAuthClient/github'), {
      organization: 'acme',
      name: null,
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      oauthTokenString: { secret: 'canary' },
      projectIds: ['prj-search', 'prj-payments'],
      agentPoolId: 'apool-dmz',
    });
    assert.deepEqual(inputs('ProjectAttachment/oc-theirs/payments'), {
      oauthClientId: 'oc-theirs',
      projectId: 'prj-payments',
    });
    assert.deepEqual(inputs('RunTrigger/docs/app'), { workspaceId: 'ws-docs', sourceableId: 'ws-app' });
    assert.deepEqual(inputs('InboundRunTriggers/app'), {
      workspaceId: 'ws-app',
      sourceableIds: ['ws-network', 'ws-dns'],
    });
    assert.deepEqual(inputs('OutboundRunTriggers/jobs'), {
      sourceableId: 'ws-jobs',
      workspaceIds: ['ws-web'],
    });
  });

  it('leaves to a set what the set says', async () => {
    const path = write(`${bareHead}runTriggers: [{ target: ws-x, sources: [ws-y] }]\n`);
    let known: string[] = [];
    await declaredBy(() => {
      known = [...new Manifest('m', { path }).resources.keys()];
    });
    assert.deepEqual(known, ['InboundRunTriggers/ws-x']);
  });

  it('gives an attachment the client of its address', async () => {
    const all = await declared(
      `${head}${github}projectAttachments: [{ oauthClient: github, project: web }]\n`.replace(
        'projects: { ',
        'projects: { web: prj-web, ',
      ),
    );
    const { oauthClientId } = all.get('m/acme:ProjectAttachment/github/web')?.inputs ?? {};
    assert.equal(oauthClientId, 'm/acme:OAuthClient/github-id');
  });

  const lines: readonly (readonly [string, string, string, Readonly<Record<string, unknown>>])[] = [
    ['an id', '    id: oc-1\n', '', { adoptId: 'oc-1' }],
    ['a twin that may be', '    allowDuplicate: true\n', '', { allowDuplicate: true }],
    [
      'an approval',
      '',
      'approved: [{ replace: OAuthClient/github, id: oc-1 }]\n',
      { replaceApproved: 'oc-1' },
    ],
    ['no approval of another', '', 'approved: [{ replace: OAuthClient/other, id: oc-1 }]\n', {}],
    [
      'an approval of what the entry protects',
      '    protect: true\n',
      'approved: [{ replace: OAuthClient/github, id: oc-1 }]\n',
      {},
    ],
  ];
  for (const [what, more, rest, wanted] of lines) {
    it(`takes ${what} along`, async () => {
      const { inputs = {} } =
        (await declared(`${head}${github}${more}${rest}`)).get('m/acme:OAuthClient/github') ?? {};
      const own = ['adoptId', 'allowDuplicate', 'replaceApproved'].filter((name) => name in inputs);
      assert.deepEqual(Object.fromEntries(own.map((name) => [name, inputs[name]])), wanted);
    });
  }

  const aliases = async (all: Awaited<ReturnType<typeof declared>>, name: string) =>
    all.get(name)?.options.aliases?.map((one) => (typeof one === 'object' && 'name' in one ? one.name : one));

  it('knows the names that a resource had before it moved', async () => {
    const moved = 'moved: [{ from: OAuthClient/old, to: OAuthClient/github }]\n';
    const all = await declared(`${head}${github}${moved}runTriggers: [{ target: docs, source: app }]\n`);
    assert.deepEqual(await aliases(all, 'm/acme:OAuthClient/github'), ['m/acme:OAuthClient/old']);
    assert.deepEqual(await aliases(all, 'm/acme:RunTrigger/docs/app'), []);
  });

  it('names a set by the id of its workspace where it has no alias', async () => {
    const all = await declared(`${bareHead}runTriggers: [{ target: ws-x, sources: [ws-y] }]\n`);
    assert.deepEqual(all.get('m/acme:InboundRunTriggers/ws-x')?.inputs.sourceableIds, ['ws-y']);
  });

  it('gives its resources by address, with the organization in front where there are several', async () => {
    write(`${bareHead}${github}`);
    const other =
      'apiVersion: tether/v1\norganization: other\nrunTriggers: [{ target: ws-a, source: ws-b }]\n';
    const known: string[][] = [];
    const load = () =>
      declaredBy(() => {
        const manifest = new Manifest('m', { path: [folder()] });
        const [first = ''] = manifest.resources.keys();
        assert.equal(manifest.oauthClient(first), manifest.resources.get(first));
        known.push([...manifest.resources.keys()]);
      });
    const alone = await load();
    write(other, 'b.tether.yaml');
    const both = await load();
    assert.deepEqual(known, [
      ['OAuthClient/github'],
      ['acme:OAuthClient/github', 'other:RunTrigger/ws-a/ws-b'],
    ]);
    const names = (all: typeof both) => [...all.keys()].filter((name) => name.includes('/')).sort();
    assert.deepEqual(names(alone), ['m/acme:OAuthClient/github']);
    assert.deepEqual(names(both), ['m/acme:OAuthClient/github', 'm/other:RunTrigger/ws-a/ws-b']);
  });

  it('says which clients there are when none has the address', async () => {
    const path = write(`${head}${github}runTriggers: [{ target: docs, source: app }]\n`);
    for (const address of ['OAuthClient/gitlab', 'RunTrigger/docs/app']) {
      await assert.rejects(
        declaredBy(() => {
          new Manifest('m', { path }).oauthClient(address);
        }),
        { message: `no manifest has ${address}; there are OAuthClient/github` },
      );
    }
  });

  it('refuses at once every line about what a program no longer declares, with the command to use', async () => {
    const orders = `forget: [OAuthClient/one]
approved: [{ destroy: OAuthClient/two, id: oc-2 }]
`;
    const message = (urn: string) => `a program cannot reach what it no longer declares.
  forget OAuthClient/one: run \`pulumi state delete '${urn}'\`, then remove the line and the resource stays untouched
  approved: destroy OAuthClient/two: run \`pulumi up\` once with TETHER_ALLOW_DESTROY=oc-2, without this line`;
    const end = 'tether:index:Manifest$pulumi-nodejs:dynamic/tether:OAuthClient::m/acme:OAuthClient/one';
    await assert.rejects(declared(`${bareHead}${orders}`), {
      message: message(`urn:pulumi:dev::shop::${end}`),
    });
    const path = write(`${bareHead}${orders}`);
    await assert.rejects(
      declaredBy(() => {
        const parent = new ComponentResource('shop:index:Place', 'place');
        new Manifest('m', { path }, { parent });
      }),
      { message: message(`…$${end}`) },
    );
  });

  it('tells every mistake of the manifest at once, and what is wrong with its profile', async () => {
    await assert.rejects(
      declared(`${bareHead}colour: blue\nrunTriggers: [{ target: ws-a, source: ws-a }]\n`),
      ({ message }: Error) => {
        assert.match(message, /acme\.tether\.yaml:\n/);
        assert.match(message, /colour/);
        assert.match(message, /ws-a cannot trigger itself/);
        return true;
      },
    );
    const path = write(`${bareHead}${github}`);
    await assert.rejects(
      declaredBy(() => {
        new Manifest('m', { path, profile: 'hcp-terraform' });
      }),
      /provider_a/,
    );
  });
});
