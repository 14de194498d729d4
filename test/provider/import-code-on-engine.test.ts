/** What `pulumi import` prints in a TypeScript project, by the engine's own generator: it compiles as it stands, and an `up` of it changes nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { ServiceProvider } from '../../provider/pulumi';
import { readProfile } from '../../resources/profile';
import { needCodegen, root } from '../support/pulumi-engine';
import { layLanguageHost } from '../support/pulumi-shell';
import { PulumiWorld } from '../support/pulumi-world';
import { mistakesOf, programOf } from '../support/typescript-program';

const urls = { httpUrl: 'https://a.example.com', apiUrl: 'https://a.example.com/api' };
const [shipped, hcp] = ['default', 'hcp-terraform'].map((name) => readProfile(name, root));
const serviceProviders = {
  ...shipped?.serviceProviders,
  ...hcp?.serviceProviders,
  in_house: { displayName: 'Ours' },
};
const clients = Object.fromEntries(
  Object.keys(serviceProviders).map((serviceProvider) => [
    `oc-${serviceProvider.replaceAll('_', '-')}`,
    { ...urls, serviceProvider, name: `Of ${serviceProvider}` },
  ]),
);
const seed = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {} },
      projects: { 'prj-web': {}, 'prj-payments': {} },
      workspaces: Object.fromEntries(['app', 'dns', 'jobs', 'web', 'docs'].map((name) => [`ws-${name}`, {}])),
      oauthClients: {
        ...clients,
        'oc-full': {
          ...urls,
          serviceProvider: 'github',
          // What the engine's own notation could take for its own.
          name: ['Full "quoted" $', '{name}'].join(''),
          key: 'key-of-it',
          agentPool: 'apool-dmz',
          organizationScoped: false,
          projects: ['prj-payments', 'prj-web'],
        },
        'oc-nameless': { ...urls, serviceProvider: 'github' },
        // Not imported: its projects would be managed twice.
        'oc-elsewhere': { ...urls, serviceProvider: 'github', projects: ['prj-web'] },
      },
      runTriggers: {
        'rt-one': { workspace: 'ws-app', sourceable: 'ws-dns' },
        'rt-two': { workspace: 'ws-jobs', sourceable: 'ws-app' },
        'rt-three': { workspace: 'ws-docs', sourceable: 'ws-web' },
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' as const } },
};

describe('the lines that an import prints', () => {
  let world: PulumiWorld;
  let folder: string;
  before(async function () {
    needCodegen(this);
    folder = mkdtempSync(join(tmpdir(), 'tether-import-'));
    const profile = join(folder, 'every.json');
    const every = { ...hcp, name: 'every', serviceProviders };
    writeFileSync(profile, JSON.stringify({ ...every, environment: undefined }));
    world = await PulumiWorld.start({ seed, profile, env: { TETHER_PROFILE: profile } });
    layLanguageHost(folder);
    world.env.PATH = [folder, process.env.PATH].join(delimiter);
  });
  after(async () => {
    await world?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('are a program of every kind and every service provider that changes nothing', async () => {
    const list = [
      ...Object.keys(clients).map((id) => ['OAuthClient', id.slice(3), id]),
      ['OAuthClient', 'full', 'oc-full'],
      ['OAuthClient', 'nameless', 'oc-nameless'],
      ['ProjectAttachment', 'web', 'oc-elsewhere/prj-web'],
      ['RunTrigger', 'dns-to-app', 'rt-one'],
      ['InboundRunTriggers', 'jobs', 'ws-jobs/inbound'],
      ['OutboundRunTriggers', 'web', 'ws-web/outbound'],
    ].map(([kind, name, id]) => ({ type: `tether:index:${kind}`, name, id }));
    const [file, printed] = ['import.json', 'printed.ts'].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(file, JSON.stringify({ resources: list }));
    const imported = await world.pulumi('import', '--file', file, '--out', printed, '--yes');
    assert.equal(imported.failure, undefined);
    const program = readFileSync(printed, 'utf8');
    assert.match(program, /^import \* as tether from "tether-iac\/pulumi";$/mu);
    assert.deepEqual(mistakesOf(program), []);
    world.program = programOf(program);
    await world.expectNothing();
    assert.deepEqual((await world.up()).steps, { same: list.length });
    assert.deepEqual(world.writes(), []);
    // Each value by its name, but that which no shipped profile has.
    for (const name of Object.keys(ServiceProvider)) {
      assert.match(program, new RegExp(`serviceProvider: tether\\.ServiceProvider\\.${name},`, 'u'));
    }
    assert.match(program, /serviceProvider: "in_house",/u);
  });
});
