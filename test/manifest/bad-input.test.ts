/** Each mistake a manifest can hold is told once, by its rule, at its very place. */
import assert from 'node:assert/strict';
import { parseManifest } from '../../manifest/read';
import { unmark } from './marked-text';

const head = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { app: ws-1, network: ws-2, dns: ws-3, web: ws-4 }
  projects: { payments: prj-1, shop: prj-2 }
  agentPools: { dmz: apool-1 }
`;

/** A client without mistakes, with room for one more line. */
function client(line = '', name = 'github'): string {
  return `oauthClients:
  ${name}:
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api
${line}`;
}

interface Case {
  readonly name: string;
  /** With `¶` at each place of the issue and `§` at the places related to it. */
  readonly text: string;
  readonly rule: string;
  readonly says?: RegExp;
}

const cases: readonly Case[] = [
  // The file as such.
  { name: 'an empty file', text: '¶', rule: 'empty-file', says: /begins with `apiVersion/ },
  { name: 'a file of comments', text: '¶# nothing\n', rule: 'empty-file' },
  { name: 'a list as manifest', text: '¶- a\n', rule: 'wrong-type', says: /must be a map.*not a list/ },
  { name: 'a text as manifest', text: '¶hello\n', rule: 'wrong-type' },
  { name: 'two documents', text: `${head}¶---\napiVersion: tether/v1\n`, rule: 'several-documents' },
  {
    name: 'a tab as indentation',
    text: `${head}oauthClients:\n¶\tgithub: {}\n`,
    rule: 'yaml-syntax',
    says: /tab/,
  },
  {
    name: 'a tab behind spaces as indentation',
    text: `${head}oauthClients:\n    github: {}\n \t¶gitlab: {}\n`,
    rule: 'yaml-syntax',
    says: /tab/,
  },
  { name: 'an open quote', text: `${head}profile: "default\n¶`, rule: 'yaml-syntax', says: /missing/ },
  { name: 'a YAML tag', text: `${head}profile: ¶!js default\n`, rule: 'yaml-syntax', says: /tag/ },
  {
    name: 'an alias without anchor',
    text: `${head}profile: ¶*nowhere\n`,
    rule: 'yaml-syntax',
    says: /there is no anchor/,
  },
  {
    name: 'an alias inside its anchor',
    text: `${head}moved: &a [¶*a]\n`,
    rule: 'yaml-syntax',
    says: /inside/,
  },
  {
    name: 'a merge key',
    text: `${head}${client('    ¶<<: { name: x }')}`,
    rule: 'unknown-key',
    says: /merge/,
  },
  {
    name: 'nesting without end',
    text: `${head}moved: ${'['.repeat(20)}¶[${']'.repeat(21)}\n`,
    rule: 'too-deep',
  },
  { name: 'two anchors in one place', text: `${head}profile: &a ¶&b default\n`, rule: 'yaml-syntax' },
  { name: 'more than the most bytes', text: `¶${head}#${'x'.repeat(5_000_000)}\n`, rule: 'too-large' },
  // The head.
  { name: 'no apiVersion', text: '¶organization: acme\n', rule: 'missing-field', says: /apiVersion/ },
  {
    name: 'an unknown apiVersion',
    text: 'apiVersion: ¶tether/v9\n',
    rule: 'unknown-api-version',
    says: /tether\/v1/,
  },
  { name: 'a number as apiVersion', text: 'apiVersion: ¶1\n', rule: 'wrong-type' },
  { name: 'no organization', text: '¶apiVersion: tether/v1\n', rule: 'missing-field', says: /organization/ },
  { name: 'an empty organization', text: 'apiVersion: tether/v1\norganization: ¶""\n', rule: 'empty-value' },
  {
    name: 'an organization with a slash',
    text: 'apiVersion: tether/v1\norganization: ¶a/b\n',
    rule: 'bad-name',
  },
  {
    name: 'an organization called constructor',
    text: 'apiVersion: tether/v1\norganization: ¶constructor\n',
    rule: 'bad-name',
  },
  { name: 'null as organization', text: 'apiVersion: tether/v1\norganization:¶\n', rule: 'null-value' },
  {
    name: 'an unknown profile',
    text: `${head}profile: ¶defualt\n`,
    rule: 'unknown-profile',
    says: /defualt.*hcp-terraform/,
  },
  {
    name: 'a profile file that is not there',
    text: `${head}profile: ¶./none.json\n`,
    rule: 'unknown-profile',
    says: /none\.json/,
  },
  // Keys.
  {
    name: 'an unknown key at the top',
    text: `${head}¶oauthClient: {}\n`,
    rule: 'unknown-key',
    says: /did you mean `oauthClients`/,
  },
  {
    name: 'an unknown key of a client',
    text: head + client('    ¶nam: x'),
    rule: 'unknown-key',
    says: /did you mean `name`/,
  },
  {
    name: 'an unknown key with two letters in the wrong order',
    text: head + client('    ¶nmae: x'),
    rule: 'unknown-key',
    says: /did you mean `name`/,
  },
  {
    name: 'a key without its plural',
    text: head + client('    ¶project: x'),
    rule: 'unknown-key',
    says: /did you mean `projects`/,
  },
  {
    name: 'a short key with two slips',
    text: head + client('    ¶anme2: x'),
    rule: 'unknown-key',
    says: /the keys here are id, protect/,
  },
  {
    name: 'a key far from all others',
    text: head + client('    ¶zzzzzzzz: x'),
    rule: 'unknown-key',
    says: /the keys here are id, protect/,
  },
  {
    name: 'the code name of a field',
    text: head + client('    ¶agentPoolId: dmz'),
    rule: 'unknown-key',
    says: /did you mean `agentPool`/,
  },
  { name: '__proto__ at the top', text: `${head}¶__proto__: {}\n`, rule: 'unknown-key' },
  {
    name: '__proto__ as address',
    text: head + client('', '¶__proto__'),
    rule: 'bad-name',
    says: /reserved/,
  },
  {
    name: 'constructor as alias',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: { projects: { ¶constructor: prj-1 } }\n',
    rule: 'bad-name',
  },
  {
    name: 'a duplicate key',
    text: head + client('    §name: a\n    ¶name: b'),
    rule: 'duplicate-key',
    says: /first at acme.tether.yaml:12:5/,
  },
  {
    name: 'a duplicate address',
    text: `${head}oauthClients:\n  §a: &a { serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n  ¶a: *a\n`,
    rule: 'duplicate-key',
  },
  { name: 'a duplicate section', text: `${head}§forget: []\n¶forget: []\n`, rule: 'duplicate-key' },
  // Types and null.
  {
    name: 'a number as name',
    text: head + client('    name: ¶42'),
    rule: 'wrong-type',
    says: /must be a string, not the number 42: quote it/,
  },
  {
    name: 'a text as boolean',
    text: head + client('    organizationScoped: ¶"no"'),
    rule: 'wrong-type',
    says: /`true` or `false`/,
  },
  { name: 'yes as boolean', text: head + client('    protect: ¶yes'), rule: 'wrong-type' },
  { name: 'a map as name', text: head + client('    name: ¶{ a: b }'), rule: 'wrong-type' },
  {
    name: 'a text as list of projects',
    text: head + client('    projects: ¶payments'),
    rule: 'wrong-type',
    says: /a list/,
  },
  {
    name: 'null as list of projects',
    text: head + client('    projects: ¶null'),
    rule: 'null-value',
    says: /write \[\] for none/,
  },
  {
    name: 'null as key, which the API has no call for',
    text: head + client('    key: ¶null'),
    rule: 'null-value',
    says: /leave the line out/,
  },
  {
    name: 'null as public key, which the API has no call for',
    text: `profile: hcp-terraform\n${head}oauthClients: { a: { serviceProvider: bitbucket_data_center, httpUrl: https://a.b, apiUrl: https://a.b, key: k, secret: { fromEnv: S }, rsaPublicKey: ¶null } }\n`,
    rule: 'null-value',
  },
  { name: 'null as list of triggers', text: `${head}runTriggers:¶\n`, rule: 'null-value' },
  { name: 'null as map of clients', text: `${head}oauthClients:¶\n`, rule: 'null-value', says: /write \{\}/ },
  {
    name: 'null as sources',
    text: `${head}runTriggers: [{ target: app, sources: ¶null }]\n`,
    rule: 'null-value',
  },
  {
    name: 'null as a member',
    text: `${head}runTriggers: [{ target: app, sources: [¶null] }]\n`,
    rule: 'null-value',
  },
  {
    name: 'null for what cannot be cleared',
    text: head + client('    organizationScoped: ¶null'),
    rule: 'wrong-type',
  },
  {
    name: 'null as provider URL',
    text: `${head}oauthClients: { a: { serviceProvider: provider_a, httpUrl: ¶null, apiUrl: https://a.b } }\n`,
    rule: 'null-value',
  },
  { name: 'a list as client', text: `${head}oauthClients: { a: ¶[] }\n`, rule: 'wrong-type' },
  { name: 'nothing as client', text: `${head}oauthClients:\n  a:¶\n`, rule: 'wrong-type', says: /not null/ },
  { name: 'a list of clients', text: `${head}oauthClients: ¶[a]\n`, rule: 'wrong-type' },
  { name: 'a map of triggers', text: `${head}runTriggers: ¶{}\n`, rule: 'wrong-type' },
  { name: 'a text as trigger', text: `${head}runTriggers: [¶app]\n`, rule: 'wrong-type' },
  {
    name: 'a list of aliases',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: ¶[]\n',
    rule: 'wrong-type',
  },
  {
    name: 'a client without its provider',
    text: `${head}oauthClients:\n  ¶a: { httpUrl: https://a.b, apiUrl: https://a.b }\n`,
    rule: 'missing-field',
    says: /serviceProvider/,
  },
  // Values.
  {
    name: 'an unknown serviceProvider',
    text: `${head}oauthClients: { a: { serviceProvider: ¶provider_z, httpUrl: https://a.b, apiUrl: https://a.b } }\n`,
    rule: 'unknown-value',
    says: /provider_a_enterprise.*provider_c_server/,
  },
  {
    name: 'a serviceProvider of another profile',
    text: `${head}oauthClients: { a: { serviceProvider: ¶github, httpUrl: https://a.b, apiUrl: https://a.b } }\n`,
    rule: 'unknown-value',
    says: /write `profile: hcp-terraform`/,
  },
  {
    name: 'a serviceProvider called constructor',
    text: `${head}oauthClients: { a: { serviceProvider: ¶constructor, httpUrl: https://a.b, apiUrl: https://a.b } }\n`,
    rule: 'unknown-value',
  },
  {
    name: 'a field that the provider does not take',
    text: head + client('    rsaPublicKey: ¶ssh-rsa AAAA'),
    rule: 'field-not-taken',
    says: /provider_a does not take/,
  },
  {
    name: 'a secret that the provider does not take',
    text: head + client('    privateKey: ¶{ fromEnv: KEY }'),
    rule: 'field-not-taken',
  },
  {
    name: 'a text that is no URL',
    text: `${head}oauthClients: { a: { serviceProvider: provider_a, httpUrl: ¶git.example.com, apiUrl: https://a.b } }\n`,
    rule: 'bad-url',
  },
  {
    name: 'a URL of another scheme',
    text: `${head}oauthClients: { a: { serviceProvider: provider_a, httpUrl: ¶"file:///etc", apiUrl: https://a.b } }\n`,
    rule: 'bad-url',
  },
  {
    name: 'a URL with a password',
    text: `${head}oauthClients: { a: { serviceProvider: provider_a, httpUrl: ¶"https://u:canary@a.b", apiUrl: https://a.b } }\n`,
    rule: 'literal-secret',
  },
  {
    name: 'a bell in a name',
    text: head + client('    name: ¶"ring\\a"'),
    rule: 'control-character',
    says: /U\+0007/,
  },
  { name: 'a line break in a name', text: head + client('    name: ¶"a\\nb"'), rule: 'control-character' },
  {
    name: 'turned direction in a name',
    text: head + client('    name: ¶"a\\u202eb"'),
    rule: 'control-character',
  },
  {
    name: 'half a character in a name',
    text: head + client('    name: ¶"a\\ud800b"'),
    rule: 'control-character',
  },
  {
    name: 'a control character in an address',
    text: head + client('', '¶"a\\u0007"'),
    rule: 'control-character',
  },
  {
    name: 'a control character in an alias',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: { projects: { ¶"a\\u0001": prj-1 } }\n',
    rule: 'control-character',
  },
  { name: 'a space in an address', text: head + client('', '¶a b'), rule: 'bad-name' },
  { name: 'a slash in an address', text: head + client('', '¶a/b'), rule: 'bad-name' },
  {
    name: 'an alias that looks like an id',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: { workspaces: { ¶ws-app: ws-1 } }\n',
    rule: 'bad-name',
    says: /looks like the id of a workspace/,
  },
  { name: 'an address that looks like an id', text: head + client('', '¶oc-1'), rule: 'bad-name' },
  // Secrets.
  {
    name: 'a literal secret',
    text: head + client('    oauthTokenString: ¶canary'),
    rule: 'literal-secret',
    says: /fromEnv/,
  },
  {
    name: 'a literal secret that is a number',
    text: head + client('    secret: ¶123456'),
    rule: 'literal-secret',
  },
  {
    name: 'a literal secret in lines',
    text: head + client('    secret: ¶|\n      canary\n      canary'),
    rule: 'literal-secret',
  },
  { name: 'null as secret', text: head + client('    secret: ¶null'), rule: 'null-value' },
  { name: 'an empty secret source', text: head + client('    secret: ¶{}'), rule: 'secret-source' },
  {
    name: 'two secret sources',
    text: head + client('    secret: ¶{ fromEnv: A, fromFile: b }'),
    rule: 'secret-source',
  },
  {
    name: 'an unknown secret source',
    text: head + client('    secret: { ¶fromEnvironment: A }'),
    rule: 'unknown-key',
    says: /fromEnv/,
  },
  {
    name: 'an empty name of a variable',
    text: head + client('    secret: { fromEnv: ¶"" }'),
    rule: 'secret-source',
    says: /empty/,
  },
  {
    name: 'a variable that is none',
    text: head + client('    secret: { fromEnv: ¶"canary/x" }'),
    rule: 'secret-source',
  },
  {
    name: 'the token of Tether itself as a secret',
    text: head + client('    secret: { fromEnv: ¶TETHER_TOKEN }'),
    rule: 'secret-source',
    says: /Tether itself/,
  },
  {
    name: 'the token that the profile reads as a secret',
    text: `${head}profile: hcp-terraform\n${client('    secret: { fromEnv: ¶TFE_TOKEN }')}`.replace(
      'provider_a',
      'github',
    ),
    rule: 'secret-source',
    says: /Tether itself/,
  },
  {
    name: 'an empty path of a secret',
    text: head + client('    secret: { fromFile: ¶"" }'),
    rule: 'secret-source',
  },
  {
    name: 'a control character in the name of a variable',
    text: `${head}${client('    secret: { fromEnv: ¶"A\\u0007" }')}`,
    rule: 'control-character',
  },
  // Ids, aliases, addresses.
  {
    name: 'a project where a workspace belongs',
    text: `${head}runTriggers: [{ target: ¶prj-1, source: app }]\n`,
    rule: 'wrong-id-kind',
    says: /`prj-1` is the id of a project; a workspace \(`ws-…`/,
  },
  {
    name: 'a workspace where a project belongs',
    text: head + client('    projects: [¶ws-1]'),
    rule: 'wrong-id-kind',
  },
  {
    name: 'a workspace as agent pool',
    text: head + client('    agentPool: ¶ws-1'),
    rule: 'wrong-id-kind',
    says: /an agent pool/,
  },
  {
    name: 'an alias of another kind',
    text: head + client('    agentPool: ¶payments'),
    rule: 'unknown-alias',
    says: /alias of a project/,
  },
  {
    name: 'an unknown alias',
    text: `${head}runTriggers: [{ target: ¶netwrk, source: app }]\n`,
    rule: 'unknown-alias',
    says: /did you mean `network`/,
  },
  {
    name: 'an alias where none is declared',
    text: 'apiVersion: tether/v1\norganization: acme\nrunTriggers: [{ target: ¶network, source: ws-1 }]\n',
    rule: 'unknown-alias',
    says: /not declared under `aliases.workspaces`\. Add it, or pass the file that declares it$/,
  },
  {
    name: 'an alias of a project to a workspace',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: { projects: { a: ¶ws-1 } }\n',
    rule: 'wrong-id-kind',
  },
  {
    name: 'an alias to no id',
    text: 'apiVersion: tether/v1\norganization: acme\naliases: { projects: { a: ¶payments } }\n',
    rule: 'bad-id',
  },
  {
    name: 'an id of another kind to adopt',
    text: head + client('    id: ¶ws-1'),
    rule: 'wrong-id-kind',
    says: /an OAuthClient/,
  },
  { name: 'no id to adopt', text: head + client('    id: ¶github'), rule: 'bad-id' },
  {
    name: 'a dangling address',
    text: `${head}${client()}projectAttachments: [{ oauthClient: ¶gitub, project: shop }]\n`,
    rule: 'dangling-address',
    says: /did you mean `github`/,
  },
  {
    name: 'a dangling full address',
    text: `${head}projectAttachments: [{ oauthClient: ¶OAuthClient/x, project: shop }]\n`,
    rule: 'dangling-address',
  },
  {
    name: 'a workspace as client',
    text: `${head}projectAttachments: [{ oauthClient: ¶ws-1, project: shop }]\n`,
    rule: 'wrong-id-kind',
  },
  {
    name: 'two addresses for one object',
    text: `${head}oauthClients:\n  a: { id: §oc-1, serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n  b: { id: ¶oc-1, serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n`,
    rule: 'same-id-twice',
    says: /OAuthClient\/b and OAuthClient\/a/,
  },
  // Links.
  {
    name: 'a self trigger',
    text: `${head}runTriggers: [{ target: app, source: ¶ws-1 }]\n`,
    rule: 'self-trigger',
  },
  {
    name: 'a self trigger in a set',
    text: `${head}runTriggers: [{ target: app, sources: [network, ¶app] }]\n`,
    rule: 'self-trigger',
  },
  {
    name: 'the same trigger twice',
    text: `${head}runTriggers:\n  - §{ target: app, source: network }\n  - ¶{ target: ws-1, source: ws-2 }\n`,
    rule: 'same-link-twice',
    says: /RunTrigger\/app\/network/,
  },
  {
    name: 'the same attachment twice',
    text: `${head}projectAttachments:\n  - §{ oauthClient: oc-1, project: shop }\n  - ¶{ oauthClient: oc-1, project: prj-2 }\n`,
    rule: 'same-link-twice',
  },
  {
    name: 'a member twice',
    text: `${head}runTriggers: [{ target: app, sources: [§dns, ¶ws-3] }]\n`,
    rule: 'same-twice',
  },
  {
    name: 'a trigger without source',
    text: `${head}runTriggers: [¶{ target: app }]\n`,
    rule: 'link-ends',
    says: /needs `source` \(or `sources: \[…\]`/,
  },
  {
    name: 'an attachment without project',
    text: `${head}projectAttachments: [¶{ oauthClient: oc-1 }]\n`,
    rule: 'link-ends',
    says: /needs `project`$/,
  },
  {
    name: 'source beside sources',
    text: `${head}runTriggers: [{ target: app, source: dns, ¶sources: [web] }]\n`,
    rule: 'link-ends',
  },
  {
    name: 'two lists in one line',
    text: `${head}runTriggers: [{ targets: [app], ¶sources: [web] }]\n`,
    rule: 'link-ends',
  },
  {
    name: 'a pair in a line and a set',
    text: `${head}runTriggers:\n  - ¶{ target: app, source: dns }\n  - { target: app, sources: [§dns, web] }\n`,
    rule: 'line-beside-set',
    says: /single line and among the sources of app/,
  },
  {
    name: 'a pair in a line and an outbound set',
    text: `${head}runTriggers:\n  - ¶{ target: app, source: dns }\n  - { source: dns, targets: [§app] }\n`,
    rule: 'line-beside-set',
  },
  {
    name: 'a line outside of a set',
    text: `${head}runTriggers:\n  - ¶{ target: app, source: web }\n  - §{ target: app, sources: [dns] }\n`,
    rule: 'line-beside-set',
    says: /not among the sources of app/,
  },
  {
    name: 'an inbound set that an outbound one denies',
    text: `${head}runTriggers:\n  - { target: app, sources: [¶dns] }\n  - §{ source: dns, targets: [web] }\n`,
    rule: 'exact-sets-disagree',
    says: /the sources of app list dns, but the targets of dns/,
  },
  {
    name: 'an outbound set that an inbound one denies',
    text: `${head}runTriggers:\n  - §{ target: app, sources: [] }\n  - { source: dns, targets: [¶app] }\n`,
    rule: 'exact-sets-disagree',
  },
  {
    name: 'two sets around one target',
    text: `${head}runTriggers:\n  - §{ target: app, sources: [dns] }\n  - ¶{ target: ws-1, sources: [dns] }\n`,
    rule: 'same-set-twice',
  },
  {
    name: 'projects beside attachments',
    text: `${head}${client('    §projects: []\n')}projectAttachments: [¶{ oauthClient: github, project: shop }]\n`,
    rule: 'line-beside-set',
    says: /the projects of github/,
  },
  {
    name: 'projects beside attachments by id',
    text: `${head}${client('    id: oc-1\n    §projects: [shop]\n')}projectAttachments: [¶{ oauthClient: oc-1, project: payments }]\n`,
    rule: 'line-beside-set',
  },
  {
    name: 'more sources than the profile allows',
    text: `${head}profile: hcp-terraform\nrunTriggers: [{ target: app, sources: [${Array.from({ length: 20 }, (_, at) => `ws-s${at}`).join(', ')}, ¶ws-more] }]\n`,
    rule: 'too-many-sources',
    says: /app has 21 sources.*allows 20/,
  },
  // Orders.
  {
    name: 'a move of something live',
    text: `${head}${client('', '§github')}moved: [{ from: ¶OAuthClient/github, to: OAuthClient/x }]\n`
      .replace('OAuthClient/x', 'OAuthClient/github2')
      .replace(
        'oauthClients:\n',
        'oauthClients:\n  github2: { serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n',
      ),
    rule: 'bad-move',
    says: /still declared at acme\.tether\.yaml:9:3/,
  },
  {
    name: 'a move to nowhere',
    text: `${head}moved: [{ from: OAuthClient/a, to: ¶OAuthClient/b }]\n`,
    rule: 'dangling-address',
  },
  {
    name: 'a move of a link',
    text: `${head}moved: [{ from: ¶RunTrigger/app/dns, to: OAuthClient/web }]\n`,
    rule: 'bad-move',
    says: /link/,
  },
  {
    name: 'a move to itself',
    text: `${head}moved: [{ from: OAuthClient/a, to: ¶OAuthClient/a }]\n`,
    rule: 'bad-move',
  },
  { name: 'a move without to', text: `${head}moved: [¶{ from: OAuthClient/a }]\n`, rule: 'missing-field' },
  {
    name: 'a move of two things to one',
    text: `${head}${client()}moved:\n  - §{ from: OAuthClient/a, to: OAuthClient/github }\n  - ¶{ from: OAuthClient/b, to: OAuthClient/github }\n`,
    rule: 'same-twice',
  },
  { name: 'an address without kind', text: `${head}forget: [¶github]\n`, rule: 'bad-address' },
  {
    name: 'an address of an unknown kind',
    text: `${head}forget: [¶OauthClient/a]\n`,
    rule: 'bad-address',
    says: /did you mean `OAuthClient`/,
  },
  {
    name: 'an address with too many parts',
    text: `${head}forget: [¶OAuthClient/a/b]\n`,
    rule: 'bad-address',
    says: /OAuthClient\/<name>/,
  },
  {
    name: 'an address of a link with one part',
    text: `${head}forget: [¶RunTrigger/a]\n`,
    rule: 'bad-address',
    says: /<target>\/<source>/,
  },
  {
    name: 'an address of another organization',
    text: `${head}forget: [¶"other:OAuthClient/a"]\n`,
    rule: 'bad-address',
  },
  { name: 'an address with a bad name', text: `${head}forget: [¶OAuthClient/a b]\n`, rule: 'bad-address' },
  {
    name: 'forget of an unknown workspace',
    text: `${head}forget: [¶RunTrigger/app/gone]\n`,
    rule: 'unknown-alias',
  },
  {
    name: 'forget beside a live client',
    text: `${head}${client('', '§github')}forget: [¶OAuthClient/github]\n`,
    rule: 'forget-live',
  },
  {
    name: 'forget beside a live trigger by id',
    text: `${head}runTriggers: [§{ target: app, source: dns }]\nforget: [¶RunTrigger/ws-1/ws-3]\n`,
    rule: 'forget-live',
  },
  {
    name: 'forget twice',
    text: `${head}forget: [§OAuthClient/a, ¶OAuthClient/a]\n`,
    rule: 'same-twice',
  },
  {
    name: 'an approval without id',
    text: `${head}approved: [¶{ destroy: OAuthClient/a }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval of two things',
    text: `${head}approved: [¶{ destroy: OAuthClient/a, replace: OAuthClient/a, id: oc-1 }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval of a link whose ends nobody knows',
    text: `${head}approved: [{ destroy: ¶RunTrigger/no/where, id: rt-1 }]\n`,
    rule: 'bad-approval',
    says: /Approvals are for destroying or replacing an OAuth client/,
  },
  {
    name: 'a move of a link whose ends nobody knows',
    text: `${head}moved: [{ from: OAuthClient/a, to: ¶RunTrigger/no/where }]\n`,
    rule: 'bad-move',
    says: /RunTrigger\/no\/where is a link/,
  },
  {
    name: 'an alias of another kind of id, once and not where it is used',
    text: `${head.replace('payments: prj-1', 'payments: ¶ws-9')}projectAttachments: [{ oauthClient: oc-1, project: payments }]\nforget: [ProjectAttachment/oc-1/payments]\n`,
    rule: 'wrong-id-kind',
  },
  {
    name: 'an approval of a link',
    text: `${head}approved: [{ destroy: ¶RunTrigger/app/dns, id: rt-1 }]\n`,
    rule: 'bad-approval',
    says: /needs no approval/,
  },
  {
    name: 'an approval for an id of another kind',
    text: `${head}approved: [{ destroy: OAuthClient/a, id: ¶ws-1 }]\n`,
    rule: 'wrong-id-kind',
  },
  {
    name: 'an approval for no id',
    text: `${head}approved: [{ destroy: OAuthClient/a, id: ¶a }]\n`,
    rule: 'bad-id',
  },
  {
    name: 'an approval of deletes without the serial',
    text: `${head}approved: [¶{ deletes: 8 }]\n`,
    rule: 'bad-approval',
    says: /`deletes` and `missing` with the `serial`, and best the `lineage`, of the ledger/,
  },
  {
    name: 'an approval of deletes for an id',
    text: `${head}approved: [¶{ deletes: 8, id: oc-1 }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval of deletes and of a destruction',
    text: `${head}approved: [¶{ destroy: OAuthClient/a, deletes: 8, serial: 1 }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval with an id and a serial',
    text: `${head}approved: [¶{ destroy: OAuthClient/a, id: oc-1, serial: 1 }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval with an id and a lineage',
    text: `${head}approved: [¶{ destroy: OAuthClient/a, id: oc-1, lineage: 5f0c6a1e-93b2 }]\n`,
    rule: 'bad-approval',
  },
  {
    name: 'an approval of many deletes',
    text: `${head}approved: [{ deletes: ¶many, serial: 1 }]\n`,
    rule: 'wrong-type',
    says: /a whole number/,
  },
  {
    name: 'an approval of no deletes',
    text: `${head}approved: [{ deletes: ¶0, serial: 1 }]\n`,
    rule: 'wrong-type',
    says: /a whole number from 1/,
  },
  {
    name: 'an approval of more deletes than there can be',
    text: `${head}approved: [{ deletes: ¶99999999999999999999, serial: 1 }]\n`,
    rule: 'wrong-type',
    says: /a whole number from 1 to 9007199254740991, not the number 100000000000000000000/,
  },
  {
    name: 'an approval of half a missing object',
    text: `${head}approved: [{ missing: ¶1.5, serial: 1 }]\n`,
    rule: 'wrong-type',
  },
  {
    name: 'an approval for no serial',
    text: `${head}approved: [{ missing: 1, serial: ¶-1 }]\n`,
    rule: 'wrong-type',
  },
  {
    name: 'two approvals of deletes for one serial',
    text: `${head}approved: [§{ deletes: 1, serial: 1 }, ¶{ deletes: 2, serial: 1 }]\n`,
    rule: 'same-twice',
  },
  {
    name: 'an approval with an unknown key',
    text: `${head}approved: [{ ¶delete: OAuthClient/a, id: oc-1 }]\n`,
    rule: 'unknown-key',
  },
];

describe('manifests with a mistake', () => {
  for (const { name, text: marked, rule, says } of cases) {
    it(`tell ${name}`, () => {
      const { text, at, related } = unmark(marked);
      const { issues } = parseManifest(text, 'acme.tether.yaml');
      const told = issues.map(
        (issue) => `${issue.rule} ${issue.at?.line}:${issue.at?.column} ${issue.message}`,
      );
      assert.equal(issues.length, 1, `one issue expected, told: ${told.join('\n')}`);
      const [issue] = issues;
      assert.equal(issue?.rule, rule, told.join());
      assert.equal(issue?.severity, 'error');
      assert.equal(`${issue?.at?.line}:${issue?.at?.column}`, at[0], told.join());
      assert.equal(issue?.at?.file, 'acme.tether.yaml');
      assert.deepEqual(
        (issue?.related ?? []).map((one) => `${one.line}:${one.column}`),
        related,
        told.join(),
      );
      if (says !== undefined) assert.match(issue?.message ?? '', says);
      assert.doesNotMatch(JSON.stringify(issues), /canary/, 'a literal secret was repeated');
    });
  }

  it('are told all at once, in the order of the file', () => {
    const text = `${head}runTriggers:\n  - { target: nope, source: nada }\n  - { target: app, source: prj-1 }\nbogus: 1\n`;
    const { issues } = parseManifest(text, 'a.yaml');
    assert.deepEqual(
      issues.map((issue) => [issue.rule, issue.at?.line]),
      [
        ['unknown-alias', 8],
        ['unknown-alias', 8],
        ['wrong-id-kind', 9],
        ['unknown-key', 10],
      ],
    );
  });

  it('are told of each line that names a pair again, whatever stands between them', () => {
    const [set, line] = ['  - { target: app, sources: [dns] }\n', '  - { target: app, source: dns }\n'];
    const told = (lines: string) =>
      parseManifest(`${head}runTriggers:\n${lines}`, 'a.yaml').issues.map(
        ({ rule, at, related = [] }) => `${rule} ${at?.line} ${related.map((one) => one.line).join()}`,
      );
    assert.deepEqual(told(set + line + line), [
      'line-beside-set 9 8',
      'same-link-twice 10 9',
      'line-beside-set 10 8',
    ]);
    assert.deepEqual(told(line + set + line), [
      'line-beside-set 8 9',
      'same-link-twice 10 8',
      'line-beside-set 10 9',
    ]);
  });

  const several: readonly (readonly [where: string, text: string, rules: readonly string[]])[] = [
    [
      'an entry with a bad name',
      `oauthClients: { a b: { serviceProvider: nope, httpUrl: x, nme: y, agentPool: zzz, secret: canary } }\n`,
      [
        'missing-field',
        'bad-name',
        'unknown-value',
        'bad-url',
        'unknown-key',
        'unknown-alias',
        'literal-secret',
      ],
    ],
    [
      'a folder with an unknown profile',
      'profile: none\nrunTriggers: [{ target: app, source: app }]\n',
      ['unknown-profile', 'self-trigger'],
    ],
    [
      'a line without one end',
      'runTriggers: [{ target: nope }, { targets: [nada], sources: [app, prj-1] }]\n',
      ['link-ends', 'unknown-alias', 'unknown-alias', 'link-ends', 'wrong-id-kind'],
    ],
  ];
  for (const [where, text, rules] of several) {
    it(`are all told in ${where}`, () => {
      const { issues } = parseManifest(head + text, 'a.yaml');
      assert.deepEqual(
        issues.map((issue) => issue.rule),
        rules,
      );
    });
  }

  it('are all told of an alias', () => {
    const { issues } = parseManifest(head.replace('app: ws-1', 'a b: prj-1'), 'a.yaml');
    assert.deepEqual(
      issues.map((issue) => issue.rule),
      ['bad-name', 'wrong-id-kind'],
    );
  });
});
