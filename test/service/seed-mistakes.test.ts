/** The mistakes of a seed: all those of form at once, then all those of what it means, each at its place. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from '../../service';
import { Caller } from '../support/api-caller';
import { temporaryFolder } from '../support/temporary-folder';

const provider = 'serviceProvider: provider_a, httpUrl: "https://x.example", apiUrl: "https://x.example"';
const client = (members: string) =>
  `organizations: { acme: { oauthClients: { oc-x: { ${provider}, ${members} } } } }`;
const inAcme = (members: string) => `organizations: { acme: { ${members} } }`;

describe('the mistakes of a seed', () => {
  const folder = temporaryFolder();
  const caller = Caller.startBeforeEach({ admin: true });

  const rows: readonly (readonly [string, string, readonly RegExp[]])[] = [
    [
      'of meaning are in the order of the text',
      `organizations:
  acme:
    workspaces:
      ws-a: { project: prj-x }
    oauthClients:
      oc-1: { ${provider.replace('provider_a', 'nope')} }
      oc-2: { serviceProvider: provider_a, apiUrl: https://x.example }
tokens: { canary: { amce: owner }, other: { amce: owner } }`,
      [
        /^4:24: \/organizations\/acme\/workspaces\/ws-a\/project: no prj-x/,
        /^6:32: \/organizations\/acme\/oauthClients\/oc-1\/serviceProvider: not among/,
        /^7:13: \/organizations\/acme\/oauthClients\/oc-2: is new and lacks httpUrl/,
        /^8:27: \/tokens\/\(token\)\/amce: no such organization/,
        /^8:51: \/tokens\/\(token\)\/amce: no such organization/,
      ],
    ],
    [
      'of form come first',
      `organizations:
  acme:
    colour: red
    workspaces: { wx-a: {}, ws-b: { name: 5, oauthClient: oc-none } }
    projects: 5
tokens: { canary: { acme: onwer, amce: owner } }`,
      [
        /^3:5: \/organizations\/acme\/colour: unknown key/,
        /^4:19: \/organizations\/acme\/workspaces\/wx-a: must match/,
        /^4:43: \/organizations\/acme\/workspaces\/ws-b\/name: must be string/,
        /^5:15: \/organizations\/acme\/projects: must be object/,
        /^6:27: \/tokens\/\(token\)\/acme: must be "owner", or a map/,
      ],
    ],
    [
      'are found in JSON too, indented with tabs',
      JSON.stringify({ organizations: { acme: { colour: 'red' } } }, null, '\t'),
      [/^4:4: \/organizations\/acme\/colour: unknown key/],
    ],
    ['are those of form where it is no seed at all', '- a', [/^1:1: must be object or null/]],
    ['are those of syntax first', 'organizations: { acme: [ }', [/^1:\d+: /]],
    ['are keys that stand twice', 'tokens: { canary: {}, canary: {} }', [/^1:23: Map keys must be unique$/]],
    ['are several documents', 'organizations: {}\n---\ntokens: {}', [/^2:1: expected one document/]],
    ['show no alias, which may be a token', 'tokens: { t: *canary }', [/Unresolved alias.*: \*\*\*$/]],
    ['show no tag, which may be a token', 'tokens: !canary!x {}', [/^1:9: Could not resolve tag: \*\*\*$/]],
    [
      'are aliases that multiply each other',
      `a: &a [x]\nb: &b [${'*a,'.repeat(40)}]\nc: &c [${'*b,'.repeat(40)}]\nd: [${'*c,'.repeat(40)}]`,
      [/Excessive alias count/],
    ],
    [
      'are ids of another organization',
      `organizations: { one: { projects: { prj-x: } }, two: { projects: { prj-x: } }, other: { projects: { prj-web: } } }`,
      [
        /two\/projects\/prj-x: already belongs to organization one/,
        /prj-web: already belongs to organization acme/,
      ],
    ],
    ['are foreign projects', client('projects: [prj-web, prj-far]'), [/projects\/1: no prj-far/]],
    ['are foreign agent pools', client('agentPool: apool-far'), [/agentPool: no apool-far/]],
    [
      'are unknown clients',
      inAcme('workspaces: { ws-app: { oauthClient: oc-none } }'),
      [/oauthClient: no oc-none/],
    ],
    [
      'are triggers without an end',
      inAcme('runTriggers: { rt-x: { workspace: ws-app } }'),
      [/lacks sourceable/],
    ],
    [
      'are triggers from elsewhere, and from a workspace to itself',
      inAcme(
        'runTriggers: { rt-x: { workspace: ws-app, sourceable: ws-far }, rt-y: { workspace: ws-app, sourceable: ws-app } }',
      ),
      [/rt-x\/sourceable: no ws-far/, /rt-y\/sourceable: a workspace cannot be its own source/],
    ],
  ];
  for (const [what, text, expected] of rows) {
    it(`${what}, and nothing is changed`, async () => {
      const before = caller.service.snapshot();
      const body = { method: 'PATCH', body: text };
      const response = await fetch(`${caller.service.adminUrl}/seed`, body);
      assert.equal(response.status, 422);
      const { errors } = (await response.json()) as { errors: { detail: string }[] };
      assert.equal(errors.length, expected.length, JSON.stringify(errors));
      for (const [index, pattern] of expected.entries()) {
        const detail = errors[index]?.detail.replace(/^seed:(?=\d)/, '') ?? '';
        assert.match(detail, pattern);
        assert.doesNotMatch(detail, /canary/);
      }
      assert.deepEqual(caller.service.snapshot(), before);
    });
  }

  it('name the file, and stop the start', async () => {
    const file = path.join(folder(), 'seed.yaml');
    writeFileSync(file, 'organizations: { acme: { colour: red } }\n');
    await assert.rejects(Caller.start({ seed: file }), (error: Error) => {
      assert.equal(error.message, `${file}:1:26: /organizations/acme/colour: unknown key`);
      return error instanceof ServiceError;
    });
    await assert.rejects(Caller.start({ seed: `${file}.none` }), /ENOENT.*seed\.yaml\.none/);
  });
});
