/** Text of others in the output of every command, which a CI runner must not take for commands of its own. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { commandFlags } from '../../cli/flags';
import { escapedInString, inert } from '../../client/text';
import { writeManifest } from '../../manifest/write';
import { bareHead, clientEntry } from '../support/acme';
import { World } from '../support/world';

const azure = '##vso[task.setvariable variable=TETHER_ADDRESS]https://evil.test';
const folder = '::warning title=x::';
const executed = /##\w*\[|^[^\S\n\r]*::/m;

describe('text that a CI runner would execute', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    const client = { name: JSON.stringify(azure), key: '"##[error]key"', projects: '["prj-data"]' };
    world.write(
      `${bareHead}oauthClients:\n${clientEntry('github', client)}runTriggers: [{ target: ws-app, source: ws-dns }]\n`,
      `${folder}/main.tether.yaml`,
    );
    const service = {
      name: '##[group]unmanaged',
      serviceProvider: 'provider_b_hosted',
      httpUrl: 'https://b.test',
    };
    await world.somebody.oauthClients.create('acme', { ...service, apiUrl: 'https://b.test/api' });
    world.service.patchSeed({ organizations: { acme: { workspaces: { 'ws-odd': { name: azure } } } } });
  });
  afterEach(() => world.close());

  const hostile = {
    status: 422,
    body: JSON.stringify({ errors: [{ title: azure, detail: 'no\n::error::##[command]x\r::set-env::' }] }),
  };

  /** Runs as text and as JSON, and returns what was printed. */
  async function printed(args: readonly string[], exitCode: number, stop = false) {
    const signal = stop ? AbortSignal.abort() : new AbortController().signal;
    const all: string[] = [];
    const hasReport = /^(?:validate|plan|apply|drift|destroy)$/.test(args[0] ?? '');
    for (const extra of stop ? [[]] : [[], ['--json', ...(hasReport ? ['--markdown', 'report.md'] : [])]]) {
      const { stdout, stderr, code } = await world.here([...args, ...extra], { signal });
      assert.equal(code, exitCode, `${args.join(' ')}\n${stdout}${stderr}`);
      all.push(stdout, stderr);
    }
    if (hasReport) all.push(world.read('report.md'));
    for (const text of all) assert.doesNotMatch(text, executed, args.join(' '));
    return all;
  }

  it('is broken in every command', async () => {
    mkdirSync(join(world.folder, '##[group]'));
    const runs: Readonly<Record<keyof typeof commandFlags, () => Promise<unknown>>> = {
      validate: () => printed(['validate', folder, '##[group]'], 1),
      plan: () => printed(['plan', folder, '##[group]'], 1),
      apply: async () => {
        world.service.fault({ how: 'status', ...hostile, method: 'POST' });
        await printed(['apply', folder, '--yes'], 1);
        world.service.clearFaults();
        await printed(['apply', folder, '--yes'], 0);
      },
      drift: async () => {
        world.service.fault({ how: 'status', ...hostile, method: 'GET' });
        await printed(['drift', folder], 1);
        world.service.clearFaults();
        await printed(['drift', folder], 0);
      },
      show: () => printed(['show', folder], 0),
      export: () => printed(['export', '--organization', 'acme', '--profile', 'hcp-terraform'], 1),
      graph: () => printed(['graph', folder], 0),
      schema: () => printed(['schema'], 0),
      'ledger show': () => printed(['ledger', 'show', '##[x]'], 1),
      'ledger unlock': () => printed(['ledger', 'unlock', '##[x]'], 1),
      'ledger move': () => printed(['ledger', 'move', '##[x]'], 1),
      destroy: () => printed(['destroy', folder, '--yes'], 1),
      serve: async () => {
        await printed(['serve', '--profile', '##[x]'], 1);
        await printed(['serve'], 0, true);
      },
    };
    for (const run of Object.values(runs)) await run();
    for (const wrong of ['##[x]', '--##[x]', `x\r${folder}`]) await printed([wrong], 1);
  });

  it('is the same text when JSON, YAML or a program is read', async () => {
    await world.expect(0, ['apply', '--yes', folder]);
    const [, , json = ''] = await printed(['show', folder], 0);
    assert.ok(JSON.stringify(JSON.parse(json)).includes(azure));
    const [yaml = ''] = await printed(['export', '--organization', 'acme'], 0);
    const { oauthClients } = parse(yaml) as { oauthClients: Record<string, { name: string; key?: string }> };
    const names = Object.values(oauthClients).map(({ name }) => name);
    assert.deepEqual(names.sort(), ['##[group]unmanaged', azure]);
    const [program = ''] = await printed(['export', '--organization', 'acme', '--pulumi'], 0);
    assert.deepEqual(JSON.parse(/name: (".*vso.*"),/.exec(program)?.[1] ?? '""'), azure);
  });

  it('is broken wherever it stands in a manifest that is written', () => {
    const key = `-----BEGIN-----\n  ::error::x\n${folder}\n${'long '.repeat(20)}##[x]\n-----END-----\n`;
    const name = 'word##[x]';
    const inputs = { name, rsaPublicKey: key, projectIds: ['prj-1', 'prj-2'], organizationScoped: true };
    const namesById = new Map([
      ['prj-1', '##[y]'],
      ['prj-2', '::z'],
    ]);
    const entries = [{ kind: 'OAuthClient', address: 'OAuthClient/a', inputs }];
    const shared = {
      organization: 'acme',
      profileName: 'default',
      comment: '##[x]\n::y',
      namesById,
      entries,
    };
    const text = writeManifest(shared);
    assert.doesNotMatch(text, executed);
    const { oauthClients } = parse(text) as { oauthClients: { a: object } };
    assert.deepEqual(oauthClients.a, {
      name,
      rsaPublicKey: key,
      organizationScoped: true,
      projects: ['##[y]', '::z'],
    });
  });

  for (const [text, shown] of [
    ['a ##[x] ##vso[y] ##teamcity[z]', 'a \\u{23}#[x] \\u{23}#vso[y] \\u{23}#teamcity[z]'],
    ['###[x]', '#\\u{23}#[x]'],
    ['::a\n  ::b\r\t::c', '\\u{3a}:a\n  \\u{3a}:b\r\t\\u{3a}:c'],
    ['## [x] #[y] ##', '## [x] #[y] ##'],
    ['a::b [::1] \n: :', 'a::b [::1] \n: :'],
  ] as const) {
    it(`is ${JSON.stringify(shown)} for ${JSON.stringify(text)}`, () => {
      assert.equal(inert(text), shown);
      assert.equal(JSON.parse(inert(JSON.stringify(text), escapedInString)), text);
    });
  }
});
