/** What a plan knows of an entry's secrets, and says of those that no step writes or whose values are not at hand. */
import { onChangeOf } from '../../resources/diff';
import type { SecretSource } from '../../resources/kind';
import type { ObjectTask } from './context';
import type { Plan, PlannedChange } from './plan';

/** Whether the service takes this secret only in a create, so that not even `--write-secrets` writes it. */
export function isCreateOnly({ context, definition }: ObjectTask, name: string) {
  const field = definition.fields[name];
  return field !== undefined && onChangeOf(field, context.desired.profile) === 'replace';
}

/** Of those that a step writes, by default all, as a create does: without this note apply would seem to need none. */
export function secretNotes(task: ObjectTask, written?: ReadonlySet<string>): Plan['notes'] {
  const { address, secrets } = task.entry;
  const needed = Object.entries(secrets)
    .filter(([field]) => (written?.has(field) ?? true) && !isAtHand(task, field))
    .map(([field, source]) => `${field} (${sourceText(source)})`);
  const text = `apply will also need: ${needed.join(', ')}`;
  return needed.length === 0 ? [] : [{ address, code: 'secret-needed', text }];
}

export function isAtHand({ context, entry }: ObjectTask, field: string) {
  return !['not-compared', 'needed'].includes(context.secretState(entry.address, field));
}

function sourceText(source: SecretSource) {
  return 'fromEnv' in source ? `environment variable ${source.fromEnv}` : `file ${source.fromFile}`;
}

const onlyInCreate =
  'this service takes it only in a create: to have it written, declare a second client with `allowDuplicate: true`, let it take over, and remove this one';

/** Where nothing but secrets makes a replacement, which unlinks all workspaces at once. */
export function rotationNotes({ entry }: ObjectTask, causes: readonly PlannedChange[]): Plan['notes'] {
  if (causes.some(({ secret }) => secret === undefined)) return [];
  const fields = causes.map(({ field }) => field).join(', ');
  const text = `a new ${fields} replaces the client, which unlinks all its workspaces at once. To move them one by one, leave it as it is, declare a second client with \`allowDuplicate: true\`, and remove this one when no workspace is left`;
  return [{ address: entry.address, code: 'rotation', text }];
}

/** On a secret that no step writes. */
export function noteOnSecret(task: ObjectTask, id: string, field: string, from: SecretSource): Plan['notes'] {
  const { context, held } = task;
  const { address } = task.entry;
  const isFixed = isCreateOnly(task, field);
  const note = (code: string, text: string) => [{ address, code, text: `secret ${text}` }];
  switch (context.secretState(address, field)) {
    case 'unverified': {
      const rest = isFixed ? onlyInCreate : '--write-secrets writes it';
      return note('secret-unverified', `not verified: ${field} (never written by Tether; ${rest})`);
    }
    case 'not-compared': {
      const { given, line } = context.approval('replace', address, id);
      const needs = given ? 'is approved' : `needs this line under \`approved:\`:\n    ${line}`;
      const isOpen = isFixed && held?.digests[field] !== undefined;
      const more = isOpen ? `. If it changed, apply replaces the client, which ${needs}` : '';
      return note(
        'secret-not-compared',
        `not compared: ${field} (${sourceText(from)} is not at hand)${more}`,
      );
    }
    case 'same':
      if (!isFixed || !context.options.writeSecrets) return [];
      return note('secret-not-written', `not written: ${field} (${onlyInCreate})`);
    default:
      return [];
  }
}
