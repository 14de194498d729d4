/** What exists as a TypeScript program for Pulumi, which adopts it without a change. Pure. */
import type { FieldValue, FieldValues } from '../../resources/kind';
import { type ClientDraft, takeFree, wordsOf } from './drafts';
import type { Existing } from './existing';

export function writeProgram(
  { organization, triggers, names }: Existing,
  clients: readonly ClientDraft[],
): string {
  const taken = new Set<string>();
  const nameOf = (id: string) => wordsOf(names.get(id) ?? id);
  const blocks = [
    "import * as tether from 'tether-iac/pulumi';",
    ...clients.map(({ name, id, inputs }) =>
      statement('OAuthClient', takeFree(name, taken), { organization, adoptId: id, ...inputs }),
    ),
    ...triggers.map(({ workspaceId, sourceableId }) => {
      const name = takeFree(`${nameOf(sourceableId)}-to-${nameOf(workspaceId)}`, taken);
      return statement('RunTrigger', name, { workspaceId, sourceableId });
    }),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function statement(type: string, name: string, args: FieldValues): string {
  const lines = Object.entries(args).map(([field, value]) => `  ${field}: ${literal(value)},`);
  return [`new tether.${type}(${literal(name)}, {`, ...lines, '});'].join('\n');
}

function literal(value: FieldValue): string {
  if (Array.isArray(value)) return `[${value.map((one: string) => literal(one)).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped.replace(/[\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`)}'`;
}
