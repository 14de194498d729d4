/** The mistakes that people make first: each message says what is wrong, where, why, and what to do. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOrdinaryUser } from '../support/ordinary-user';
import { patternOf } from '../support/page';
import { acme, bareHead, github, head, World } from '../support/world';

interface Mistake {
  /** Of the folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly env?: (world: World) => Readonly<Record<string, string>>;
  /** What the user did before. */
  readonly before?: (world: World) => unknown;
  readonly code?: number;
  /** What, where, why and what to do, each as it is said; one that says two of them stands once. */
  readonly says: readonly RegExp[];
}

const triggers = 'runTriggers:\n  - { target: app, source: network }\n';
const main = (text: string) => ({ 'main.tether.yaml': text });
const usual = main(head + github + triggers);
const otherPort = 'http://127.0.0.1:9/api/v2';
const renamed = (name: string) => github.replace('oauthClients:\n', '').replace('github:', `${name}:`);

async function applied(world: World): Promise<void> {
  await world.expect(0, ['apply', '--yes']);
}

const mistakes: Readonly<Record<string, Mistake>> = {
  '1: a wrong token': {
    env: () => ({ TETHER_TOKEN: 'wrong-token' }),
    says: [/GET \/\S+: the token was refused \(401\)/, /check TETHER_TOKEN/],
  },
  '2: no token': {
    env: () => ({ TETHER_TOKEN: '' }),
    says: [/no token: set TETHER_TOKEN, or TETHER_TOKEN_FILE to a file that holds it/],
  },
  '3: no address': {
    env: () => ({ TETHER_ADDRESS: '' }),
    says: [/no address: pass --address or set TETHER_ADDRESS to the base URL of the service, with \/api\/v2/],
  },
  '4: a wrong port': {
    env: () => ({ TETHER_ADDRESS: otherPort }),
    says: [/connection refused by 127\.0\.0\.1:9/, /check the address/],
  },
  '5: http to a far host': {
    env: () => ({ TETHER_ADDRESS: 'http://example.com/api/v2' }),
    says: [/is http: the token would travel in the clear/, /use https/, /comes from TETHER_ADDRESS/],
  },
  '6: no /api/v2': {
    env: ({ service }) => ({ TETHER_ADDRESS: service.url.replace('/api/v2', '') }),
    says: [/organization acme: not found/, /the address \(http:\S+ does not end in \/api\/v2\)/],
  },
  '8: an address that is no URL': {
    env: () => ({ TETHER_ADDRESS: 'tether' }),
    says: [
      /the address is not a URL: it should look like https:\/\/host\/api\/v2 \(it comes from TETHER_ADDRESS/,
    ],
  },
  '9: https to an http port': {
    env: ({ service }) => ({ TETHER_ADDRESS: service.url.replace('http:', 'https:') }),
    says: [/the TLS handshake with 127\.0\.0\.1:\d+ failed/, /check the address and its port/],
  },
  '10: a token with a word before it': {
    env: () => ({ TETHER_TOKEN: 'Bearer owner-token' }),
    says: [/the token holds a space/, /check TETHER_TOKEN/],
  },
  '11: a token in quotes': {
    env: () => ({ TETHER_TOKEN: '"owner-token"' }),
    says: [/the token stands in quotes, which are no part of it: check TETHER_TOKEN/],
  },
  '12: a misspelt key': {
    files: main(head + github.replace('name:', 'nmae:')),
    says: [/main\.tether\.yaml:9:5/, /unknown key `nmae`/, /did you mean `name`/],
  },
  '13: a misspelt top key': {
    files: main(head.replace('aliases:', 'alaises:')),
    says: [/main\.tether\.yaml:3:1/, /unknown key `alaises`: did you mean `aliases`/],
  },
  '14: a tab': {
    files: main(`${bareHead}oauthClients:\n\tgithub: {}\n`),
    says: [/main\.tether\.yaml:4:1/, /a tab cannot indent YAML: use spaces/],
  },
  '15: a secret in clear': {
    files: main(head + github.replace('{ fromEnv: GIT_TOKEN }', 'plain-secret')),
    says: [
      /main\.tether\.yaml:13:23/,
      /secrets must not be written in a manifest: use `\{ fromEnv: NAME \}`/,
    ],
  },
  '16: another way to name a variable': {
    files: main(head + github.replace('fromEnv:', 'env:')),
    says: [/main\.tether\.yaml:13:\d+/, /key (?:`env` in|of) `\S+`.*fromEnv/],
  },
  '17: a variable that is not set, for two clients': {
    files: main(head + github + renamed('second').replaceAll('git.ex', 'two.ex')),
    args: ['apply', '--yes'],
    env: () => ({ GIT_TOKEN: '' }),
    says: [
      /OAuthClient\/github oauthTokenString, OAuthClient\/second oauthTokenString: environment variable GIT_TOKEN/,
      /\(main\.tether\.yaml:13:23, main\.tether\.yaml:19:23\)/,
      /nothing was changed/,
    ],
  },
  '18: an unknown alias, seven times': {
    files: main(`${bareHead}runTriggers: [${'abcdefg'.replace(/./g, '{ target: app, source: ws-$& },')}]\n`),
    says: [
      /main\.tether\.yaml:3:25/,
      /alias `app` is not declared under `aliases\.workspaces`\. Add it/,
      /see also main\.tether\.yaml:3:55\n(?: +see also .*\n){4} +and 1 more/,
    ],
  },
  '19: a line twice': {
    files: main(head + triggers + triggers.replace('runTriggers:\n', '')),
    says: [/main\.tether\.yaml:9:5/, /declared twice \(first at main\.tether\.yaml:8:5\)/],
  },
  '20: a workspace as its own source': {
    files: main(`${head}runTriggers: [{ target: app, source: app }]\n`),
    says: [/main\.tether\.yaml:7:\d+/, /ws-app cannot trigger itself: source and target must be two/],
  },
  '21: an id of no workspace': {
    files: main(head.replace('app: ws-app', 'app: ws-none') + triggers),
    says: [
      /RunTrigger\/app\/network .*not found, or the token may not see it \(404\)/,
      /Check alias `app` \(main\.tether\.yaml:4:\d+\): is ws-none meant, and may the token read its runs\?/,
    ],
  },
  '22: an id of another form': {
    files: main(head.replace('app: ws-app', 'app: WS_app')),
    says: [/main\.tether\.yaml:4:\d+/, /is not an id; the id of a workspace \(`ws-…`\) belongs here/],
  },
  '23: an id of no client': {
    files: main(head + github.replace('name:', 'id: oc-none\n    name:')),
    says: [/oc-none does not exist: correct the id, or remove the line/, /main\.tether\.yaml:9:9/],
  },
  '24: an id of no project': {
    files: main(`${head.replace('prj-payments', 'prj-none')}${github}    projects: [payments]\n`),
    args: ['apply', '--yes'],
    says: [
      /✖ create ProjectAttachment\/github\/payments .*no project "prj-none".*\(main\.tether\.yaml:14:\d+\)/,
      /change the manifest, or what it names at the service/,
    ],
  },
  '25: a provider of another profile': {
    files: main(head + github.replace('provider_a', 'gitlab_hosted')),
    says: [
      /main\.tether\.yaml:10:\d+/,
      /not a serviceProvider of profile `default`.*write `profile: hcp-terraform`/,
    ],
  },
  '26: a wrong organization': {
    files: main(head.replace('acme', 'acne') + github),
    says: [/organization acne: not found/, /the name in the manifest \(main\.tether\.yaml:2:15\)/],
  },
  '27: a wrong apiVersion': {
    files: main(head.replace('tether/v1', 'tether/v2') + triggers),
    says: [/main\.tether\.yaml:1:13/, /does not know apiVersion `tether\/v2`: it reads `tether\/v1`/],
  },
  '28: a folder without manifests': {
    files: {},
    says: [/^error: there is no manifest in \.: looked for \*\.tether\.yaml/],
  },
  '29: a string for a list': {
    files: main(`${head}runTriggers: [{ target: app, sources: network }]\n`),
    says: [/main\.tether\.yaml:7:\d+/, /`runTriggers\[0\]\.sources` must be a list such as `\[a, b\]`/],
  },
  '30: a list for one end of a trigger': {
    files: main(`${head}runTriggers: [{ target: app, source: [network] }]\n`),
    says: [
      /main\.tether\.yaml:7:\d+/,
      /must be a string, not a list: write `sources: \[…\]` for exactly these/,
    ],
  },
  '30: a list for a project': {
    files: main(`${head}projectAttachments: [{ oauthClient: oc-1, project: [payments] }]\n`),
    says: [/must be a string, not a list: write a line for each/],
  },
  '31: a word of YAML 1.1': {
    files: main(`${head}${github}    protect: no\n`),
    says: [/main\.tether\.yaml:14:14/, /`true` or `false`.*: `no` is a string in YAML 1\.2, write `false`/],
  },
  '31: a boolean in quotes': {
    files: main(`${head}${github}    protect: "true"\n`),
    says: [/`true` or `false`, not a string: write true without quotes/],
  },
  '32: a URL without its scheme': {
    files: main(head + github.replace('https://git.example.com\n', 'git.example.com\n')),
    says: [/main\.tether\.yaml:11:14/, /must be a URL that begins with https:\/\/ or http:\/\//],
  },
  '33: two documents': {
    files: main(`${head}${triggers}---\n${bareHead}`),
    says: [/main\.tether\.yaml:9:\d+/, /a manifest is one document, so give it a file of its own/],
  },
  '34: a digest of another plan': {
    args: ['apply', '--yes', '--expect', '0123456789abcdef'],
    says: [
      /stale plan: the current plan does not have digest 0123/,
      /Nothing was changed/,
      /run: tether apply --expect/,
    ],
  },
  '35: a ledger that is lost': {
    before: async (world) => {
      await applied(world);
      world.remove('tether.ledger.json');
    },
    says: [
      /no ledger was found \(tether\.ledger\.json\), so nothing counts as managed/,
      /If there was one, restore it/,
      /^Next: restore the ledger, or rebuild it with tether export; then tether plan$/m,
      /an object that looks the same exists: oc-\w+.* add this line: `id: oc-/,
    ],
  },
  '36: the ledger of another organization': {
    before: async (world) => {
      await applied(world);
      world.write('tether.ledger.json', world.read('tether.ledger.json').replaceAll('"acme"', '"beta"'));
    },
    says: [
      /main\.tether\.yaml:2:15/,
      /manifests are of `acme`, and the ledger of this folder is of `beta`/,
      /A slip: correct/,
    ],
  },
  '37: half a ledger': {
    before: async (world) => {
      await applied(world);
      world.write('tether.ledger.json', world.read('tether.ledger.json').slice(0, 200));
    },
    says: [/tether\.ledger\.json/, /Restore it from version control|restore/i],
  },
  '44: a misspelt flag': {
    args: ['plan', '--adress', 'x'],
    says: [/unknown option '--adress'/, /Did you mean --address/],
  },
  '45: a 503 for what may have been done': {
    files: main(head + triggers),
    args: ['apply', '--yes'],
    before: (world) => world.service.fault({ how: 'status', status: 503, method: 'POST' }),
    says: [
      /POST \/workspaces\/ws-app\/run-triggers: the service failed \(503\).*; it may have been applied/,
      /\(main\.tether\.yaml:8:5\)/,
      /Run apply again to finish; it checks first what was applied\./,
    ],
  },
  '46: HTML in place of an answer': {
    before: (world) => world.service.fault({ how: 'garbage', method: 'GET' }),
    says: [/GET \/\S+: the answer \(200\) is HTML, not JSON:API: is the address right\?/],
  },
  '47: a Retry-After that nobody would wait for': {
    // Creates of one target are sent one after the other.
    files: main(`${head}${triggers}  - { target: app, source: dns }\n`),
    args: ['apply', '--yes'],
    before: (world) =>
      world.service.fault({ how: 'status', status: 429, headers: { 'retry-after': '290' }, method: 'POST' }),
    says: [
      /POST \/workspaces\/ws-app\/run-triggers: rate limited \(429\)/,
      /the service asked to wait for another 2\d\d s/,
      /Run apply again to finish/,
    ],
  },
};

const page = readFileSync(join(__dirname, '../../../docs/troubleshooting.md'), 'utf8');

/** What docs/troubleshooting.md quotes of a mistake, `…` as in the page. */
function quoted(number: string): RegExp[] {
  return [...page.matchAll(/^\| `([^`]+)`.*<!-- (\d+) --> \|$/gm)].flatMap(([, text = '', of]) =>
    of === number ? [patternOf(text)] : [],
  );
}

describe('a mistake that people make', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(acme);
  });
  afterEach(() => world.close());

  for (const [name, { files = usual, args = ['plan'], env, before, code = 1, says }] of Object.entries(
    mistakes,
  )) {
    it(`is told: ${name}`, async () => {
      for (const [file, text] of Object.entries(files)) world.write(file, text);
      await before?.(world);
      const { stdout, stderr } = await world.expect(code, args, env ? { env: env(world) } : {});
      const said = stderr + stdout;
      for (const part of [...says, ...quoted(name.replace(/:.*/, ''))]) assert.match(said, part);
      assert.doesNotMatch(said, /check before you retry|This is a bug/);
    });
  }

  it('has a number here in every row of docs/troubleshooting.md', () => {
    const tested = [...Object.keys(mistakes).map((name) => name.replace(/:.*/, '')), '40'];
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const numbers = rows.map((row) => /<!-- (\d+) --> \|$/.exec(row)?.[1] ?? row);
    assert.ok(rows.length > 25);
    assert.deepEqual(
      numbers.filter((one) => !tested.includes(one)),
      [],
    );
  });

  it('is nothing: a slash behind the address', async () => {
    world.write('main.tether.yaml', usual['main.tether.yaml']);
    await world.expect(0, ['plan'], { env: { TETHER_ADDRESS: `${world.service.url}/` } });
  });

  it('is told: 40: a folder that may not be written, without a name that only Tether knows', async () => {
    world.write('main.tether.yaml', usual['main.tether.yaml']);
    chmodSync(world.folder, 0o555);
    const { code, stderr } = await asOrdinaryUser([world.folder], () => world.here(['apply', '--yes']));
    chmodSync(world.folder, 0o755);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Could not lock the ledger: EACCES: permission denied.* Check the permissions of the file/,
    );
    for (const part of quoted('40')) assert.match(stderr, part);
    assert.doesNotMatch(stderr, /\.lock\.\w+/);
  });

  it('is told once, for all steps that a revoked token stops', async () => {
    const line = (target: string) => `  - { target: ${target}, source: network }\n`;
    world.write(
      'main.tether.yaml',
      `${head}runTriggers:\n${['app', 'dns', 'web', 'jobs'].map(line).join('')}`,
    );
    world.service.fault({ how: 'status', status: 401, method: 'POST' });
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.equal(stdout.match(/the token was refused/g)?.length, 1, stdout);
    assert.equal(stdout.match(/create RunTrigger/g)?.length, 4, stdout);
  });

  it('is told once, for all addresses that one cause leaves alone', async () => {
    world.write(
      'main.tether.yaml',
      `${head.replace('ws-app', 'ws-none')}runTriggers: [{ target: app, sources: [network, dns, web] }]\n`,
    );
    const { stdout } = await world.expect(1, ['plan']);
    assert.equal(stdout.match(/not found, or the token may not see it/g)?.length, 1, stdout);
    assert.match(
      stdout,
      /\? RunTrigger\/app\/network, RunTrigger\/app\/dns, RunTrigger\/app\/web, the sources of app\n +GET /,
    );
  });
});
