/** What right manifests become: entries, exact sets, references, aliases and directives. */
import assert from 'node:assert/strict';
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { parseManifest, type ReadManifests, readAgain } from '../../manifest/read';
import type { Lookups } from '../../resources/names';
import { head } from './marked-text';

function client(lines: readonly string[] = [], name = 'github'): string {
  const fields = ['serviceProvider: provider_a', 'httpUrl: https://a.b', 'apiUrl: https://a.b/api', ...lines];
  return `oauthClients:\n  ${name}:\n${fields.map((line) => `    ${line}\n`).join('')}`;
}

function sound({ manifests, issues }: ReadManifests): Manifests {
  assert.deepEqual(issues, []);
  assert.ok(manifests);
  return manifests;
}

function read(text: string): Manifests {
  return sound(parseManifest(head + text, 'teams/acme.tether.yaml', { cwd: '/infra' }));
}

const shape = (entries: readonly DesiredEntry[]) => entries.map(({ address, inputs }) => [address, inputs]);
const at = (line: number, column: number) => ({ file: 'teams/acme.tether.yaml', line, column });
const reference = { address: 'OAuthClient/github' };

describe('a manifest', () => {
  it('becomes entries with places, resolved ids and secret sources', () => {
    const { entries } = read(
      client([
        'id: oc-1',
        'name: null',
        'agentPool: dmz',
        'organizationScoped: false',
        'allowDuplicate: [oc-7, oc-8]',
        'secret: { fromEnv: SECRET }',
      ]),
    );
    assert.deepEqual(entries, [
      {
        kind: 'OAuthClient',
        address: 'OAuthClient/github',
        at: at(8, 3),
        fieldsAt: {
          serviceProvider: at(9, 22),
          httpUrl: at(10, 14),
          apiUrl: at(11, 13),
          name: at(13, 11),
          agentPoolId: at(14, 16),
          organizationScoped: at(15, 25),
          secret: at(17, 13),
        },
        inputs: {
          organization: 'acme',
          serviceProvider: 'provider_a',
          name: null,
          httpUrl: 'https://a.b',
          apiUrl: 'https://a.b/api',
          organizationScoped: false,
          agentPoolId: 'apool-1',
        },
        secrets: { secret: { fromEnv: 'SECRET' } },
        id: 'oc-1',
        idAt: at(12, 9),
        allowDuplicate: ['oc-7', 'oc-8'],
      },
    ]);
  });

  it('clears an agent pool with null', () => {
    assert.equal(read(client(['agentPool: null'])).entries[0]?.inputs.agentPoolId, null);
  });

  it('keeps the path of a secret file relative to the root', () => {
    const lines = ['secret: { fromFile: ../keys/a.pem }', 'oauthTokenString: { fromFile: /run/token }'];
    const [entry] = read(client(lines)).entries;
    const secrets = { oauthTokenString: { fromFile: '/run/token' }, secret: { fromFile: 'keys/a.pem' } };
    assert.deepEqual(entry?.secrets, secrets);
  });

  it('makes entries and an exact set of the projects of a client, and no field', () => {
    const { entries, sets } = read(client(['projects: [payments, prj-9]']));
    assert.equal(entries[0] !== undefined && 'projectIds' in entries[0].inputs, false);
    assert.deepEqual(shape(entries.slice(1)), [
      ['ProjectAttachment/github/payments', { oauthClientId: reference, projectId: 'prj-1' }],
      ['ProjectAttachment/github/prj-9', { oauthClientId: reference, projectId: 'prj-9' }],
    ]);
    assert.deepEqual(entries[2]?.at, at(12, 26));
    const label = 'the projects of github';
    const set = { kind: 'ProjectAttachment', fixed: { oauthClientId: reference }, label, at: at(12, 5) };
    assert.deepEqual(sets, [set]);
  });

  it('names links by alias where one exists, the first of two, also when the line says the id', () => {
    const { entries, namesById } = read(
      'runTriggers:\n  - { target: ws-1, source: ws-9 }\n  - { target: web, source: ws-2 }\n',
    );
    assert.deepEqual(shape(entries), [
      ['RunTrigger/app/ws-9', { workspaceId: 'ws-1', sourceableId: 'ws-9' }],
      ['RunTrigger/web/network', { workspaceId: 'ws-4', sourceableId: 'ws-2' }],
    ]);
    assert.deepEqual([namesById.get('ws-1')?.name, namesById.get('ws-9')?.name], ['app', 'ws-9']);
    const two = head.replace('app: ws-1', 'zebra: ws-1, apple: ws-1');
    const { manifests } = parseManifest(`${two}runTriggers: [{ target: zebra, source: dns }]\n`, 'a.yaml');
    assert.equal(manifests?.entries[0]?.address, 'RunTrigger/apple/dns');
  });

  it('makes one entry of a pair that an inbound and an outbound set both list', () => {
    const { entries, sets } = read(
      'runTriggers:\n  - { target: app, sources: [network, dns] }\n  - { source: network, targets: [app, web] }\n',
    );
    assert.deepEqual(
      entries.map((entry) => entry.address),
      ['RunTrigger/app/network', 'RunTrigger/app/dns', 'RunTrigger/web/network'],
    );
    assert.deepEqual(entries[0]?.at, at(8, 30));
    assert.deepEqual(
      sets.map((set) => [set.fixed, set.label]),
      [
        [{ workspaceId: 'ws-1' }, 'the sources of app'],
        [{ sourceableId: 'ws-2' }, 'the targets of network'],
      ],
    );
  });

  it('understands a client by its key, its address and its id, and one of no manifest by its id', () => {
    for (const clientReference of ['github', 'OAuthClient/github', 'oc-1']) {
      const line = `projectAttachments: [{ oauthClient: ${clientReference}, project: shop }]\n`;
      const { entries } = read(client(['id: oc-1']) + line);
      const link = ['ProjectAttachment/github/shop', { oauthClientId: reference, projectId: 'prj-2' }];
      assert.deepEqual(shape(entries.slice(1)), [link]);
    }
    const { entries } = read('projectAttachments: [{ oauthClient: oc-7, project: shop }]\n');
    assert.deepEqual(shape(entries), [
      ['ProjectAttachment/oc-7/shop', { oauthClientId: 'oc-7', projectId: 'prj-2' }],
    ]);
  });

  it('carries what to forget, links by alias, and approvals', () => {
    const forgotten = [
      ['OAuthClient/legacy', 'OAuthClient/legacy'],
      ['OAuthClient/oc-old', 'OAuthClient/oc-old'],
      ['RunTrigger/ws-1/dns', 'RunTrigger/app/dns'],
      ['ProjectAttachment/legacy/shop', 'ProjectAttachment/legacy/shop'],
      ['ProjectAttachment/oc-5/prj-9', 'ProjectAttachment/oc-5/prj-9'],
      ['ProjectAttachment/oc-1/shop', 'ProjectAttachment/github/shop'],
    ];
    const { forget, approved } = read(
      `${client(['id: oc-1'])}forget: [${forgotten.map(([written]) => written).join(', ')}]\n` +
        'approved:\n  - { destroy: OAuthClient/old, id: oc-7 }\n  - { replace: OAuthClient/oc-6, id: oc-8 }\n',
    );
    assert.deepEqual(
      forget.map(({ address }) => address),
      forgotten.map(([, address]) => address),
    );
    assert.deepEqual(approved, [
      { action: 'destroy', address: 'OAuthClient/old', id: 'oc-7', at: at(15, 5) },
      { action: 'replace', address: 'OAuthClient/oc-6', id: 'oc-8', at: at(16, 5) },
    ]);
  });

  it('gives its organization and profile', () => {
    const { organization, organizationAt, profile, profileName } = read('');
    assert.deepEqual([organization, organizationAt], ['acme', at(2, 15)]);
    assert.deepEqual([profileName, profile.name], ['default', 'default']);
  });

  it('may be JSON with tabs, a byte order mark and a $schema', () => {
    const text = `\uFEFF{\n\t"$schema": "x.json",\n\t"apiVersion": "tether/v1",\n\t"organization": "acme",\n\t"forget": ["OAuthClient/a"]\n}\n`;
    const { forget } = sound(parseManifest(text, 'a.tether.json'));
    assert.deepEqual(forget[0]?.at, { file: 'a.tether.json', line: 5, column: 13 });
  });

  it('lets the flag override its profile, and reports one that does not exist without a place', () => {
    const text = `${head}profile: default\n`;
    const { manifests } = parseManifest(text, 'a.yaml', { profile: 'hcp-terraform' });
    assert.deepEqual([manifests?.profileName, manifests?.profile.name], ['hcp-terraform', 'hcp-terraform']);
    const { issues } = parseManifest(text, 'a.yaml', { profile: 'none' });
    assert.deepEqual(
      issues.map((issue) => [issue.rule, issue.at]),
      [['unknown-profile', undefined]],
    );
  });
});

function makeLookups(
  names: ConstructorParameters<typeof Map<string, { id: string } | { why: string }>>[0],
): Lookups {
  return { names: new Map(names), currentNames: new Map(), listedKinds: new Set() };
}

describe('names in place of ids', () => {
  const text = `profile: hcp-terraform\n${head}runTriggers:
  - { target: db, sources: [network, team/odd, app (old)] }
forget: [RunTrigger/app/jobs]\n`;
  const first = parseManifest(text, 'a.yaml');
  const again = (lookups: Readonly<Record<string, string | null>>) =>
    readAgain(first, {
      lookups: makeLookups(
        Object.entries(lookups).map(([name, id]) => [
          `workspace/${name}`,
          id === null ? { why: 'two have it' } : { id },
        ]),
      ),
    });
  const all = { db: 'ws-5', 'team/odd': 'ws-6', 'app (old)': 'ws-7', jobs: 'ws-8' };

  it('are collected before they are looked up, each with its first place', () => {
    const { nameReferences, entries } = sound(first);
    assert.deepEqual(
      [...nameReferences].map(([name, one]) => [name, one.at.line, one.why]),
      ['db', 'team/odd', 'app (old)', 'jobs'].map((name, index) => [
        `workspace/${name}`,
        index < 3 ? 9 : 10,
        'it was not looked up',
      ]),
    );
    assert.deepEqual(entries[0]?.inputs.workspaceId, { address: 'workspace/db' });
  });

  it('become ids, written as the name unless it has a slash', () => {
    const { nameReferences, entries, forget, namesById } = sound(again(all));
    assert.ok([...nameReferences.values()].every(({ why }) => why === undefined));
    assert.deepEqual(shape(entries), [
      ['RunTrigger/db/network', { workspaceId: 'ws-5', sourceableId: 'ws-2' }],
      ['RunTrigger/db/ws-6', { workspaceId: 'ws-5', sourceableId: 'ws-6' }],
      ['RunTrigger/db/app (old)', { workspaceId: 'ws-5', sourceableId: 'ws-7' }],
    ]);
    assert.equal(forget[0]?.address, 'RunTrigger/app/jobs');
    assert.deepEqual([namesById.get('ws-5')?.name, namesById.get('ws-6')?.name], ['db', 'ws-6']);
  });

  it('have no blanks at their ends, which nobody sees', () => {
    for (const name of ['app ', '\u00a0app', '" "']) {
      const read = parseManifest(
        `profile: hcp-terraform\n${head}runTriggers: [{ target: ws-1, source: "${name.replaceAll('"', '')}" }]\n`,
        'a.yaml',
      );
      assert.deepEqual(
        read.issues.map(({ rule, at }) => [rule, at?.line]),
        [['blank-end', 8]],
      );
      assert.match(
        read.issues[0]?.message ?? '',
        /^the name "[^"]* ?[^"]*" begins or ends with a blank: remove it, or write/,
      );
    }
    const [issue] = parseManifest(
      `profile: hcp-terraform\n${head}runTriggers: [{ target: ws-1, source: app\u00a0 }]\n`,
      'a.yaml',
    ).issues;
    assert.match(issue?.message ?? '', /^the name "app\\u00a0" /);
  });

  it('stay references where nobody can tell, with the reason', () => {
    const { nameReferences, entries } = sound(again({ ...all, db: null }));
    assert.equal(nameReferences.get('workspace/db')?.why, 'two have it');
    assert.deepEqual(entries[0]?.inputs, { workspaceId: { address: 'workspace/db' }, sourceableId: 'ws-2' });
  });

  it('must be known in a line that decides what is kept', () => {
    const { issues, manifests } = again({ ...all, jobs: null });
    assert.deepEqual([issues.map(({ rule }) => rule), manifests], [['unknown-name'], null]);
  });

  it('stand in addresses, also of lines before them that have the id', () => {
    const lines = ['{ target: ws-5, source: network }', '{ target: db, source: "team/odd" }'];
    for (const runTriggers of [lines, lines.toReversed()]) {
      const read = parseManifest(
        `profile: hcp-terraform\n${head}runTriggers: [${runTriggers.join(', ')}]\n`,
        'a.yaml',
      );
      const lookups = makeLookups(Object.entries(all).map(([name, id]) => [`workspace/${name}`, { id }]));
      const addresses = sound(readAgain(read, { lookups })).entries.map(({ address }) => address);
      assert.deepEqual(addresses.toSorted(), ['RunTrigger/db/network', 'RunTrigger/db/ws-6']);
    }
  });

  it('make one link of a pair that two spellings name', () => {
    const { entries } = sound(again({ ...all, 'app (old)': 'ws-2' }));
    assert.equal(entries.length, 2);
  });

  it('may agree with a set that writes the id, which only the look shows', () => {
    const of = (lines: string) =>
      parseManifest(`profile: hcp-terraform\n${head}runTriggers: [${lines}]\n`, 'a.yaml');
    const rulesOf = (lines: string) => of(lines).issues.map(({ rule }) => rule);
    const set = '{ target: db, sources: [jobs] }, ';
    assert.deepEqual(rulesOf(`${set}{ source: other, targets: [db] }`), ['exact-sets-disagree']);
    assert.deepEqual(rulesOf(`${set}{ target: db, source: ws-8 }`), ['line-beside-set']);
    const many = Array.from({ length: 20 }, (_, index) => `n${index}`).join(', ');
    assert.deepEqual(rulesOf(`{ target: db, sources: [${many}, n20] }`), ['too-many-sources']);
    assert.deepEqual(rulesOf(`{ target: db, sources: [${many}, ws-8] }`), []);
    const read = of(`${set}{ source: ws-8, targets: [db] }`);
    sound(read);
    const issuesWith = (id: string) => {
      const lookups = makeLookups([
        ['workspace/db', { id: 'ws-5' }],
        ['workspace/jobs', { id }],
      ]);
      return readAgain(read, { lookups }).issues.map(({ rule }) => rule);
    };
    assert.deepEqual(issuesWith('ws-8'), []);
    assert.deepEqual(issuesWith('ws-9'), ['exact-sets-disagree']);
  });
});

describe('cycles of triggers', () => {
  const lines = (pairs: readonly string[]) =>
    `${head}runTriggers:\n${pairs.map((pair) => `  - { source: ${pair.split('>')[0]}, target: ${pair.split('>')[1]} }\n`).join('')}`;
  const cases: readonly (readonly [
    name: string,
    pairs: string,
    shown: readonly [] | readonly [cycle: string, others?: number],
  ])[] = [
    ['no cycle in a diamond', 'app>dns app>web dns>network web>network', []],
    ['a cycle of two', 'app>dns dns>app', ['app>dns dns>app']],
    ['a cycle behind a tail', 'web>app app>dns dns>network network>app', ['app>dns dns>network network>app']],
    [
      'two cycles with a trigger between them',
      'app>dns dns>app dns>web web>network network>web',
      ['app>dns dns>app', 3],
    ],
    [
      'a long and a short one',
      'app>dns dns>web web>app network>ws-9 ws-9>network',
      ['network>ws-9 ws-9>network', 3],
    ],
    [
      'cycles through the same workspaces as one',
      'app>dns dns>web web>app app>web dns>app web>network',
      ['app>dns dns>app', 3],
    ],
  ];
  for (const [name, pairs, [cycle, others]] of cases) {
    it(`are warned of: ${name}`, () => {
      const { manifests, issues } = parseManifest(lines(pairs.split(' ')), 'a.yaml');
      const path = cycle?.replaceAll(/([\w-]+)>([\w-]+) ?/g, 'RunTrigger/$2/$1, ').slice(0, -2);
      const more = others === undefined ? '' : `. ${others} other triggers form or connect more cycles`;
      assert.deepEqual(
        issues.map((issue) => issue.message),
        path === undefined ? [] : [`\`runTriggers\` form a cycle: ${path}. Runs may repeat forever${more}`],
      );
      assert.ok(issues.every((issue) => issue.severity === 'warning' && issue.rule === 'trigger-cycle'));
      assert.equal(manifests?.entries.length, pairs.split(' ').length);
    });
  }

  it('are named up to a limit, and a long one is found without recursion', () => {
    const all = Array.from({ length: 20_000 }, (_, index) => `ws-${index}`);
    const ring = all.map((workspaceId, index) => `${workspaceId}>${all[(index + 1) % all.length]}`);
    const { issues } = parseManifest(lines([...ring, 'ws-5>ws-2']), 'a.yaml');
    assert.equal(issues.length, 1);
    const places = issues[0]?.related?.length;
    assert.equal(places, 3);
    assert.match(
      issues[0]?.message ?? '',
      /: RunTrigger\/dns\/network, .*, RunTrigger\/network\/ws-5\. Runs may repeat forever\. 19997 other/,
    );
    const whole = parseManifest(lines(ring), 'a.yaml').issues[0];
    assert.equal(whole?.related?.length, 5);
    assert.match(whole?.message ?? '', /: RunTrigger\/.*, and 19994 more\. Runs may repeat forever$/);
  });
});
