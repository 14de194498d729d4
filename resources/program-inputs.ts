/** Checks the inputs of a resource of a Pulumi program, whose values may be of any type. */
import { type Field, type FieldValues, isLink, type Key, type ResourceDefinition, sortSets } from './kind';
import type { Profile } from './profile';
import { checkSecrets } from './secrets';
import {
  idViolation,
  missingForCreate,
  stringViolation,
  tooManySources,
  violationsAcross,
} from './violations';

/** A resource class accepts the fields of its kind, and has some of its own. */
export interface InputTable {
  readonly definition: ResourceDefinition;
  readonly fields: Readonly<Record<string, Field>>;
}

/** The SDK's mark for a value that a preview does not know. */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Returns the normalized inputs with the secrets as they are sent, the declared links, and every mistake. */
export function checkInputs(type: InputTable, given: FieldValues, isCreated: boolean, profile: Profile) {
  const { definition, fields } = type;
  // Null clears a nullable field, and means "absent" for any other.
  const entries = Object.entries(given).filter(([name, value]) => value !== null || fields[name]?.nullable);
  const inputs = sortSets(Object.fromEntries(entries));
  const names = new Set(Object.keys(inputs));
  const values = hideUnknown(inputs);
  const { secrets, issues } = checkSecrets(definition, values, profile);
  const missing = isCreated ? missingForCreate(definition, values, names, profile) : [];
  const { kind, edge, pair } = definition;
  const links = isLink(kind) ? readLinks(pair, values) : [];
  const sources = `${edge?.from}s`;
  const excess = sources in values ? tooManySources(edge, links.length, profile) : null;
  const mistakes = [
    ...[...names].filter((name) => !(name in fields)).map((name) => `${name}: there is no such property`),
    ...Object.entries(fields).flatMap(([name, field]) =>
      field.required && !names.has(name)
        ? [`${name}: is required`]
        : findMistakes(field, values[name], profile).map((mistake) => `${name}: ${mistake}`),
    ),
    ...[
      ...issues,
      ...(isLink(kind) ? links : [values]).flatMap((object) =>
        violationsAcross(definition, object, names, profile),
      ),
    ].map(({ path, message }) => `${path}: ${message}`),
    ...(excess === null ? [] : [`${sources}: ${excess}`]),
    ...missing.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
  ];
  return { inputs: { ...inputs, ...secrets }, links, mistakes };
}

/** Makes unknown values null. Their names stay, because they are not missing. */
function hideUnknown(inputs: FieldValues): FieldValues {
  return JSON.parse(JSON.stringify(inputs, (_, value) => (value === unknownValue ? null : value)));
}

/** Returns the links that a link or a set declares. A set has the ids of its members under the plural of an end. */
function readLinks(pair: ResourceDefinition['pair'], inputs: FieldValues): readonly Key[] {
  const readEnd = (end: string) => [inputs[end] ?? inputs[`${end}s`] ?? []].flat().map(String);
  const addEnd = (links: readonly Key[], end: string) =>
    links.flatMap((link) => readEnd(end).map((id) => ({ ...link, [end]: id })));
  return pair.reduce(addEnd, [{}]);
}

/** A message repeats the value only if it cannot be a secret. */
function findMistakes(field: Field, value: unknown, profile: Profile): readonly string[] {
  if (value === undefined || value === null) return [];
  if (field.type === 'set' && Array.isArray(value)) {
    return value.flatMap((member) => findMistakes({ ...field, type: 'string' }, member, profile));
  }
  if (typeof value !== field.type) {
    return [`must be a ${field.type === 'set' ? 'list' : field.type}, not of type ${typeof value}`];
  }
  // Secrets have a check of their own.
  if (typeof value !== 'string' || field.writeOnly) return [];
  const violation =
    stringViolation(field, value, profile, (name) => `run \`pulumi config set tether:profile ${name}\``) ??
    (field.refersTo === undefined ? undefined : idViolation(field.refersTo, value));
  if (violation === undefined) return [];
  return [
    `${violation.subject === 'value' ? `${JSON.stringify(value.slice(0, 80))} ` : ''}${violation.problem}`,
  ];
}
