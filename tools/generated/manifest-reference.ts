/** Writes the reference of manifests as Markdown from the definitions. */
import { carriedFields, manifestSchema } from '../../manifest/schema';
import type { Field, LinkEnd, ResourceDefinition } from '../../resources/kind';
import { externalKinds } from '../../resources/names';
import type { Profile } from '../../resources/profile';
import { registry } from '../../resources/registry';

/** Returns the whole page, with the provider values of these profiles. */
export function manifestReference(profiles: readonly Profile[]): string {
  const parts = [intro, topLevel(), ...registry.map(kindReference), ...profiles.map(providers), remarks];
  return `${parts.join('\n\n')}\n`;
}

const intro = `<!-- Generated from the definitions of the kinds: do not edit. -->
# Manifests

A manifest is one YAML or JSON document: \`*.tether.yaml\`, \`*.tether.yml\` or \`*.tether.json\`. Tether reads
all manifests of a folder as one, of one organization ([why](../concepts.md#one-folder-one-organization-one-ledger)). Editors complete and check them with
[\`manifest.schema.json\`](manifest.schema.json):

\`\`\`yaml
# yaml-language-server: $schema=node_modules/tether-iac/docs/reference/manifest.schema.json
apiVersion: tether/v1
organization: acme
\`\`\`

- **A field that is left out** gets the API's default on create and is not managed afterwards. If you remove its line, Tether writes
  nothing. \`projects\` of a client is different, because it is a set of links (see [below](#exact-sets-and-single-lines)).
- **\`null\`** clears a value where the table says so. Anywhere else it is an error.
- **References** are written as an alias, as an id, as a [name](#names-in-place-of-ids) where the profile can look names up, or, for
  what a manifest declares, as an address.
- **Secrets** are written as \`{ fromEnv: NAME }\` or \`{ fromFile: path }\` (relative to the
  manifest; [the form of a value](../concepts.md#secrets)). Tether refuses a literal secret, files of \`/proc\` or on another host, the variables \`TETHER_*\`, \`TFE_*\` and
  \`AWS_*\`, which it reads for itself, the files that these name, and those in \`~/.aws\`. \`validate\`, \`plan\` and \`drift\` need no value.`;

const remarks = `## Names in place of ids

Where the profile has \`lookupByName\` (\`hcp-terraform\`), you can write the name of a workspace, project or agent pool in place of an alias:

\`\`\`yaml
apiVersion: tether/v1
profile: hcp-terraform
organization: acme
runTriggers:
  - { target: app, sources: [network, app (old), ws-1] }
\`\`\`

A reference is an id if it has the form of one, else an alias if there is one, else a name. \`validate\` looks nothing up; a plan does, once.
A name that is not found, or found twice, makes its lines unknown, and that run deletes no links. The ledger holds ids only.

## Exact sets and single lines

A list says "exactly these": Tether deletes every other link at the same end, whoever created it. An empty list deletes all of them.
While a listed link is unknown or could not be created, Tether deletes no unlisted one. If the service limits the sources of a
target and there is no room for both, it deletes first.

If you remove the whole list (or the \`projects\` of a client), Tether deletes the links of it that it manages and leaves the rest alone. To keep
a link, list it under \`forget:\`.

An exact set deletes the triggers that other folders declare for the same target, each time you apply it. If teams share a target,
write single lines.

Declare a pair in one single line or in sets, not in both. An inbound and an outbound set that meet must agree on the pair: both list it,
or neither does.`;

function topLevel(): string {
  const rows = Object.entries(manifestSchema().properties ?? {}).map(([key, { description }]) => {
    const kind = registry.find((definition) => definition.section.name === key);
    const doc =
      kind === undefined
        ? String(description)
        : `${kind.doc} See [${kind.kind}](#${kind.kind.toLowerCase()}).`;
    return [`\`${key}\``, key === 'apiVersion' ? 'yes' : key === 'organization' ? 'in one file' : '', doc];
  });
  return `## Top-level keys\n\n${table(['Key', 'Required', 'Meaning'], rows)}\n\n${orders}`;
}

const orders = `\`\`\`yaml
aliases:
  workspaces: { network: ws-1, app: ws-2 }
  projects: { payments: prj-1 }
  agentPools: { dmz: apool-1 }
forget: [OAuthClient/legacy, RunTrigger/app/network]
approved: [{ destroy: OAuthClient/old, id: oc-1 }, { replace: OAuthClient/github, id: oc-2 }]
\`\`\``;

function kindReference(definition: ResourceDefinition): string {
  const links = definition.section.form === 'links';
  const ends = definition.section.ends;
  const address = links ? ends.map((end) => `<${end.singular}>`).join('/') : '<name>';
  const head = `## ${definition.kind}\n\n${definition.doc} Under \`${definition.section.name}\`; address \`${definition.kind}/${address}\`.`;
  const rows = carriedFields(definition).map(({ keyInManifest, field }) => fieldRow(keyInManifest, field));
  const idRows = links ? [] : ownRows;
  const fields = table(['Field', 'Type', 'Required', 'On change', 'Meaning'], [...rows, ...idRows]);
  const outputs = Object.entries(definition.outputs).map(([name, output]) => [
    `\`${name}\``,
    output.type,
    output.doc,
  ]);
  const outputTable =
    outputs.length === 0
      ? []
      : [`Shown by \`tether show\`:\n\n${table(['Output', 'Type', 'Meaning'], outputs)}`];
  return [head, fields, example(definition), ...outputTable].join('\n\n');
}

const ownRows: readonly (readonly string[])[] = [
  [
    '`id`',
    'id',
    '',
    'only Tether reads it',
    'Id of an existing object to adopt, or to move to this address.',
  ],
  [
    '`allowDuplicate`',
    'list of ids',
    '',
    'only Tether reads it',
    'Ids of objects with the same name, provider and URLs that this one may stand beside.',
  ],
];

function fieldRow(name: string, field: Field): string[] {
  const external = externalKinds[field.refersTo ?? ''];
  const base = field.type === 'set' ? 'list' : field.writeOnly ? 'secret' : field.type;
  const referred = field.refersTo === undefined ? '' : ` of ${external?.noun ?? field.refersTo}`;
  const type = referred === '' ? base : `${base === 'list' ? 'list of names' : 'name'}${referred}`;
  const notes = [
    field.doc,
    ...(field.nullable ? ['May be `null`.'] : []),
    ...(field.exactSetOf === undefined ? [] : ['If you remove the line, the managed ones are detached.']),
    ...(field.default === undefined || field.default === null
      ? []
      : [`Default \`${JSON.stringify(field.default)}\`.`]),
    ...(field.writeOnly ? ['Never returned by the service, so never compared with it.'] : []),
  ];
  return [`\`${name}\``, type, field.required ? 'yes' : '', describeChange(field), notes.join(' ')];
}

/** Returns what a change of the field does to the object. */
export function describeChange(field: Field): string {
  if (field.exactSetOf !== undefined) return 'attaches and detaches';
  const change = field.onChange === 'replace' ? 'replaces' : 'updates in place';
  return field.updatableWith === undefined
    ? change
    : `${change}; updates in place where the profile has \`${field.updatableWith}\``;
}

/** Returns an example that is valid in the default profile. */
function example(definition: ResourceDefinition): string {
  let ids = 0;
  const sample = (field: Field | undefined): string => {
    if (field?.writeOnly) return '{ fromEnv: NAME }';
    if (field?.format === 'url') return 'https://git.example.com';
    if (field?.valuesFrom !== undefined) return 'provider_a';
    const kindName = field?.refersTo ?? '';
    const prefix =
      externalKinds[kindName]?.prefix ??
      registry.find((definition) => definition.kind === kindName)?.idPrefix;
    if (prefix === undefined) return 'example';
    ids += 1;
    return `${prefix}-${ids}`;
  };
  const several = (field: Field | undefined) => `[${sample(field)}, ${sample(field)}]`;
  const ends = definition.section.ends;
  if (definition.section.form === 'map') {
    const fields = carriedFields(definition);
    const token = fields.find(({ field }) => field.writeOnly);
    const lines = fields.flatMap(({ keyInManifest, field }) => {
      if (field.exactSetOf !== undefined) return [`    ${keyInManifest}: ${several(field)} # exactly these`];
      return field.required || field === token?.field ? [`    ${keyInManifest}: ${sample(field)}`] : [];
    });
    return fence([`${definition.section.name}:`, '  example:', ...lines].join('\n'));
  }
  const line = (listed?: LinkEnd) =>
    ends
      .map((end) => {
        const field = definition.fields[end.field];
        return end === listed ? `${end.plural}: ${several(field)}` : `${end.singular}: ${sample(field)}`;
      })
      .join(', ');
  const sets = ends
    .filter((end) => end.plural !== undefined)
    .map((end) => `  - { ${line(end)} } # exactly these`);
  return fence([`${definition.section.name}:`, `  - { ${line()} }`, ...sets].join('\n'));
}

function providers(profile: Profile): string {
  const rows = Object.entries(profile.serviceProviders).map(([name, provider]) => [
    `\`${name}\``,
    provider.displayName,
    codes(provider.needs),
    codes(provider.forbids),
    (provider.together ?? []).map(codes).join('; '),
  ]);
  const limit =
    profile.limits.maxSources === null ? '' : ` A target has at most ${profile.limits.maxSources} sources.`;
  const heads = ['`serviceProvider`', 'Name', 'Needs to be created', 'Does not take', 'Only together'];
  const when =
    '`validate` only warns of a missing field that a create needs, because an existing client may lack it.';
  return `## Profile \`${profile.name}\`\n\n${profile.doc}${limit} ${when}\n\n${table(heads, rows)}`;
}

function codes(names: readonly string[] = []): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Writes a Markdown table. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function fence(text: string): string {
  return `\`\`\`yaml\n${text}\n\`\`\``;
}
