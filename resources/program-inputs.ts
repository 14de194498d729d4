/** Checks the inputs of a resource of a Pulumi program, whose values may be of any type. */
import { type Field, type FieldValues, isLink, type Key, type ResourceDefinition } from './kind';
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

/** Returns the secrets as they are sent, the declared links, and every mistake. An input that is not known yet is null. */
export function checkInputs(type: InputTable, inputs: object, isCreated: boolean, profile: Profile) {
  const { definition, fields } = type;
  const names = new Set(Object.keys(inputs));
  const values = inputs as FieldValues;
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
  return { secrets, links, mistakes };
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
