/** What right manifests become: entries, exact sets, references, aliases and orders. */
import assert from 'node:assert/strict';
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { parseManifest } from '../../manifest/read';

const head = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { app: ws-1, network: ws-2, dns: ws-3, web: ws-4 }
  projects: { payments: prj-1, shop: prj-2 }
  agentPools: { dmz: apool-1 }
`;

function client(lines: readonly string[] = [], name = 'github'): string {
  const fields = ['serviceProvider: provider_a', 'httpUrl: https://a.b', 'apiUrl: https://a.b/api', ...lines];
  return `oauthClients:\n  ${name}:\n${fields.map((line) => `    ${line}\n`).join('')}`;
}

function read(text: string): Manifests {
  const { manifests, issues } = parseManifest(head + text, 'teams/acme.tether.yaml', {
    folder: '/infra',
  });
  assert.deepEqual(issues, []);
  assert.ok(manifests);
  return manifests;
}

function shape(entries: readonly DesiredEntry[]): unknown[] {
  return entries.map(({ address, inputs }) => [address, inputs]);
}

const reference = { address: 'OAuthClient/github' };

describe('a manifest', () => {
  it('becomes entries with places, resolved ids and secret sources', () => {
    const { entries } = read(
      client([
        'id: oc-1',
        'name: null',
        'agentPool: dmz',
        'organizationScoped: false',
        'protect: true',
        'allowDuplicate: true',
        'secret: { fromEnv: SECRET }',
      ]),
    );
    assert.deepEqual(entries, [
      {
        kind: 'OAuthClient',
        address: 'OAuthClient/github',
        file: 'teams/acme.tether.yaml',
        at: { file: 'teams/acme.tether.yaml', line: 8, column: 3 },
        fieldsAt: {
          serviceProvider: { file: 'teams/acme.tether.yaml', line: 9, column: 22 },
          httpUrl: { file: 'teams/acme.tether.yaml', line: 10, column: 14 },
          apiUrl: { file: 'teams/acme.tether.yaml', line: 11, column: 13 },
          name: { file: 'teams/acme.tether.yaml', line: 13, column: 11 },
          agentPoolId: { file: 'teams/acme.tether.yaml', line: 14, column: 16 },
          organizationScoped: { file: 'teams/acme.tether.yaml', line: 15, column: 25 },
          secret: { file: 'teams/acme.tether.yaml', line: 18, column: 13 },
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
        idAt: { file: 'teams/acme.tether.yaml', line: 12, column: 9 },
        protect: true,
        allowDuplicate: true,
      },
    ]);
  });

  it('says whether it protects, and says nothing where the line is left out', () => {
    const protects = (lines: string[]) => read(client(lines)).entries.map((one) => one.protect);
    assert.deepEqual(protects(['protect: true']), [true]);
    assert.deepEqual(protects(['protect: false']), [false]);
    assert.deepEqual(protects([]), [null]);
  });

  it('does not manage a field that is left out', () => {
    const [entry] = read(client()).entries;
    assert.deepEqual(Object.keys(entry?.inputs ?? {}), [
      'organization',
      'serviceProvider',
      'httpUrl',
      'apiUrl',
    ]);
  });

  it('clears an agent pool with null', () => {
    assert.equal(read(client(['agentPool: null'])).entries[0]?.inputs.agentPoolId, null);
  });

  it('keeps the path of a secret file relative to the root', () => {
    const [entry] = read(
      client(['secret: { fromFile: ../keys/a.pem }', 'oauthTokenString: { fromFile: /run/token }']),
    ).entries;
    assert.deepEqual(entry?.secrets, {
      oauthTokenString: { fromFile: '/run/token' },
      secret: { fromFile: 'keys/a.pem' },
    });
  });

  it('makes entries and an exact set of the projects of a client, and no field', () => {
    const { entries, sets } = read(client(['projects: [payments, prj-9]']));
    assert.equal(entries[0] !== undefined && 'projectIds' in entries[0].inputs, false);
    assert.deepEqual(shape(entries.slice(1)), [
      ['ProjectAttachment/github/payments', { oauthClientId: reference, projectId: 'prj-1' }],
      ['ProjectAttachment/github/prj-9', { oauthClientId: reference, projectId: 'prj-9' }],
    ]);
    assert.deepEqual(entries[2]?.at, { file: 'teams/acme.tether.yaml', line: 12, column: 26 });
    assert.deepEqual(
      sets.map(({ at: _, ...set }) => set),
      [
        {
          kind: 'ProjectAttachment',
          fixed: { oauthClientId: reference },
          label: 'the projects of github',
          file: 'teams/acme.tether.yaml',
        },
      ],
    );
  });

  it('makes an exact set without members of an empty list', () => {
    const { entries, sets } = read(
      `${client(['projects: []'])}runTriggers: [{ target: app, sources: [] }]\n`,
    );
    assert.equal(entries.length, 1);
    assert.deepEqual(
      sets.map((set) => [set.kind, set.fixed]),
      [
        ['ProjectAttachment', { oauthClientId: reference }],
        ['RunTrigger', { workspaceId: 'ws-1' }],
      ],
    );
  });

  it('names links by alias where one exists, also when the line says the id', () => {
    const { entries } = read(
      'runTriggers:\n  - { target: ws-1, source: ws-9 }\n  - { target: web, source: ws-2 }\n',
    );
    assert.deepEqual(shape(entries), [
      ['RunTrigger/app/ws-9', { workspaceId: 'ws-1', sourceableId: 'ws-9' }],
      ['RunTrigger/web/network', { workspaceId: 'ws-4', sourceableId: 'ws-2' }],
    ]);
  });

  it('makes one entry of a pair that an inbound and an outbound set both list', () => {
    const { entries, sets } = read(
      'runTriggers:\n  - { target: app, sources: [network, dns] }\n  - { source: network, targets: [app, web] }\n',
    );
    assert.deepEqual(
      entries.map((entry) => entry.address),
      ['RunTrigger/app/network', 'RunTrigger/app/dns', 'RunTrigger/web/network'],
    );
    assert.deepEqual(entries[0]?.at, { file: 'teams/acme.tether.yaml', line: 8, column: 30 });
    assert.deepEqual(
      sets.map((set) => [set.fixed, set.label]),
      [
        [{ workspaceId: 'ws-1' }, 'the sources of app'],
        [{ sourceableId: 'ws-2' }, 'the targets of network'],
      ],
    );
  });

  for (const written of ['github', 'OAuthClient/github', 'oc-1']) {
    it(`understands ${written} as the client of an attachment`, () => {
      const { entries } = read(
        `${client(['id: oc-1'])}projectAttachments: [{ oauthClient: ${written}, project: shop }]\n`,
      );
      assert.deepEqual(shape(entries.slice(1)), [
        ['ProjectAttachment/github/shop', { oauthClientId: reference, projectId: 'prj-2' }],
      ]);
    });
  }

  it('attaches a client that no manifest has by its id', () => {
    const { entries } = read('projectAttachments: [{ oauthClient: oc-7, project: shop }]\n');
    assert.deepEqual(shape(entries), [
      ['ProjectAttachment/oc-7/shop', { oauthClientId: 'oc-7', projectId: 'prj-2' }],
    ]);
  });

  it('carries moves, forgets and approvals, links by alias', () => {
    const { moved, forget, approved } = read(
      `${client()}moved: [{ from: OAuthClient/gh, to: OAuthClient/github }]\n` +
        'forget: [OAuthClient/legacy, RunTrigger/ws-1/dns, ProjectAttachment/legacy/shop, ProjectAttachment/oc-5/shop]\n' +
        'approved: [{ destroy: OAuthClient/old, id: oc-7 }, { replace: OAuthClient/github, id: oc-8 }, { deletes: 12, serial: 7, lineage: 5f0c6a1e-93b2 }, { missing: 5, serial: 0 }]\n',
    );
    assert.deepEqual(
      moved.map(({ from, to }) => [from, to]),
      [['OAuthClient/gh', 'OAuthClient/github']],
    );
    assert.deepEqual(
      forget.map(({ address }) => address),
      [
        'OAuthClient/legacy',
        'RunTrigger/app/dns',
        'ProjectAttachment/legacy/shop',
        'ProjectAttachment/oc-5/shop',
      ],
    );
    assert.deepEqual(
      approved.map(({ at: _, ...line }) => line),
      [
        { action: 'destroy', address: 'OAuthClient/old', id: 'oc-7' },
        { action: 'replace', address: 'OAuthClient/github', id: 'oc-8' },
        { action: 'deletes', count: 12, serial: 7, lineage: '5f0c6a1e-93b2' },
        { action: 'missing', count: 5, serial: 0 },
      ],
    );
  });

  it('gives its aliases and profile', () => {
    const { aliases, profile, profileName } = read('');
    assert.deepEqual(aliases, {
      workspaces: { app: 'ws-1', network: 'ws-2', dns: 'ws-3', web: 'ws-4' },
      projects: { payments: 'prj-1', shop: 'prj-2' },
      agentPools: { dmz: 'apool-1' },
    });
    assert.equal(profileName, 'default');
    assert.equal(profile.name, 'default');
  });

  it('may be JSON with tabs, a byte order mark and a $schema', () => {
    const text = `\uFEFF{\n\t"$schema": "x.json",\n\t"apiVersion": "tether/v1",\n\t"organization": "acme",\n\t"forget": ["OAuthClient/a"]\n}\n`;
    const { manifests, issues } = parseManifest(text, 'a.tether.json');
    assert.deepEqual(issues, []);
    assert.deepEqual(manifests?.forget[0]?.at, { file: 'a.tether.json', line: 5, column: 13 });
  });

  it('may use YAML anchors', () => {
    const { entries } = read(
      `${client(['name: &n Git'])}  gitlab: { name: *n, serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n`,
    );
    assert.deepEqual(
      entries.map((entry) => entry.inputs.name),
      ['Git', 'Git'],
    );
  });

  it('allows the longest list of sources that the profile allows', () => {
    const sources = Array.from({ length: 20 }, (_, at) => `ws-s${at}`);
    const { entries } = read(
      `profile: hcp-terraform\nrunTriggers: [{ target: app, sources: [${sources.join(', ')}] }]\n`,
    );
    assert.equal(entries.length, 20);
  });

  it('lets the flag override its profile', () => {
    const { manifests } = parseManifest(`${head}profile: default\n`, 'a.yaml', {
      profile: 'hcp-terraform',
    });
    assert.deepEqual([manifests?.profileName, manifests?.profile.name], ['hcp-terraform', 'hcp-terraform']);
  });

  it('tells a flag that names no profile, without a place', () => {
    const { manifests, issues } = parseManifest(head, 'a.yaml', { profile: 'none' });
    assert.deepEqual(
      issues.map(({ rule, at }) => [rule, at]),
      [['unknown-profile', undefined]],
    );
    assert.equal(manifests, null);
  });
});

describe('the graph of triggers', () => {
  const lines = (...pairs: readonly string[]) =>
    `${head}runTriggers:\n${pairs.map((pair) => `  - { source: ${pair.split('>')[0]}, target: ${pair.split('>')[1]} }\n`).join('')}`;
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['no cycle in a diamond', ['app>dns', 'app>web', 'dns>network', 'web>network'], []],
    ['a cycle of two', ['app>dns', 'dns>app'], ['app → dns, dns → app']],
    [
      'a cycle behind a tail',
      ['web>app', 'app>dns', 'dns>network', 'network>app'],
      ['app → dns, dns → network, network → app'],
    ],
    [
      'two cycles',
      ['app>dns', 'dns>app', 'web>network', 'network>web'],
      ['app → dns, dns → app', 'web → network, network → web'],
    ],
  ];
  for (const [name, pairs, cycles] of cases) {
    it(`shows ${name}`, () => {
      const { manifests, issues } = parseManifest(lines(...pairs), 'a.yaml');
      assert.deepEqual(
        issues.map((issue) =>
          issue.message.replace(/^`runTriggers` form a cycle: (.*)\. Runs may repeat forever$/, '$1'),
        ),
        cycles,
      );
      assert.ok(issues.every((issue) => issue.severity === 'warning' && issue.rule === 'trigger-cycle'));
      assert.equal(manifests?.entries.length, pairs.length);
    });
  }

  it('shows the links of cycles through the same workspaces in one warning, and no others', () => {
    const pairs = ['app>dns', 'dns>web', 'web>app', 'app>web', 'dns>app', 'web>network'];
    const { issues } = parseManifest(lines(...pairs), 'a.yaml');
    assert.deepEqual(
      issues.map((issue) => issue.message),
      [
        '`runTriggers` form a cycle: app → dns, dns → web, web → app, app → web, dns → app. Runs may repeat forever',
      ],
    );
  });

  it('names the links of a large knot up to a limit, and finds a long cycle without recursion', () => {
    const all = Array.from({ length: 20_000 }, (_, index) => `ws-${index}`);
    const ring = all.map((one, index) => `${one}>${all[(index + 1) % all.length]}`);
    const { issues } = parseManifest(lines(...ring, 'ws-5>ws-2'), 'a.yaml');
    assert.equal(issues.length, 1);
    assert.equal(issues[0]?.related?.length, 5);
    assert.match(issues[0]?.message ?? '', /: ws-0 → app, .*, ws-5 → ws-6 and 19995 more\. Runs/);
  });
});
