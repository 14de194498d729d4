/** Inputs and states of resources as plain JSON: how they are checked, compared and recorded. */
import { OperationalError } from '../client/errors';
import { onChangeOf } from '../resources/diff';
import * as kinds from '../resources/kind';
import type { Profile } from '../resources/profile';
import { checkSecrets } from '../resources/secrets';
import { idViolation, missingForCreate, stringViolation, violationsAcross } from '../resources/violations';

/** Inputs or outputs of one resource. */
export type Props = Readonly<Record<string, unknown>>;

/** An error that the user can repair. Its message says what is wrong, where, and what to do. */
export class ProviderError extends OperationalError {}

type Input = Omit<kinds.Field, 'onChange'>;

/** The inputs of a resource class: the fields of its kind, and inputs of its own. */
export interface ResourceType {
  readonly definition: kinds.ResourceDefinition;
  readonly fields: Readonly<Record<string, kinds.Field>>;
  readonly own: Readonly<Record<string, Input>>;
}

/** The SDK's mark for a value that a preview does not know. */
export const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Returns a known string, or an empty one for any other value. */
export function textOf(props: Props, name: string): string {
  const { [name]: value } = props;
  return typeof value === 'string' && value !== unknownValue ? value : '';
}

/** Returns the known strings of a list, sorted and without duplicates. */
export function membersOf(props: Props, name: string): readonly string[] {
  const { [name]: value } = props;
  return Array.isArray(value) ? sorted(value).filter((one) => one !== unknownValue) : [];
}

function sorted(members: readonly unknown[]): readonly string[] {
  return [...new Set(members.map(String))].sort();
}

/** Keeps the order of `before`, because the engine compares lists place by place. */
function inOrderOf(before: unknown, members: readonly string[]): readonly string[] {
  const kept = (Array.isArray(before) ? before.map(String) : []).filter((one) => members.includes(one));
  return [...kept, ...members.filter((one) => !kept.includes(one))];
}

/** Returns the known values of the fields, including secrets. */
export function valuesOf({ fields }: Pick<ResourceType, 'fields'>, props: Props): kinds.FieldValues {
  const known = Object.entries(props).filter(([name, value]) => name in fields && value !== unknownValue);
  return Object.fromEntries(known) as kinds.FieldValues;
}

/** Normalizes inputs and reports every mistake. A failure names no property, because the engine would print its value. */
export function checkInputs(type: ResourceType, profile: Profile, olds: Props, news: Props) {
  const known = new Map<string, Input>(Object.entries({ ...type.fields, ...type.own }));
  // Null clears a nullable field, and means "absent" for any other. Sets are sorted.
  const given = Object.entries(news).flatMap(([name, value]) => {
    if (value === undefined || (value === null && !known.get(name)?.nullable)) return [];
    const isSet = known.get(name)?.type === 'set' && Array.isArray(value);
    return [[name, isSet ? inOrderOf(olds[name], sorted(value)) : value] as const];
  });
  const inputs: Props = Object.fromEntries(given);
  const values = valuesOf(type, inputs);
  const names = new Set(Object.keys(inputs));
  const { secrets, issues } = checkSecrets(type.definition, values, profile);
  const isCreated = Object.keys(olds).length === 0 && inputs.adoptId === undefined;
  const needed = isCreated ? missingForCreate(type.definition, values, names, profile) : [];
  const across = violationsAcross(type.definition, values, names, profile);
  const isStranger = (name: string) => name !== '__provider' && !known.has(name);
  const mistakes = [
    ...[...names].filter(isStranger).map((name) => `${name}: there is no such property`),
    ...[...known].flatMap(([name, field]) => mistakesIn(name, field, inputs[name], profile)),
    ...[...issues, ...across].map(({ path, message }) => `${path}: ${message}`),
    ...needed.map((name) => `${name}: ${String(values.serviceProvider)} needs it to be created`),
  ];
  return {
    inputs: { ...inputs, ...secrets },
    failures: mistakes.map((reason) => ({ property: '', reason })),
  };
}

/** A message repeats the value only if it cannot be a secret. */
function mistakesIn(path: string, field: Input, value: unknown, profile: Profile): readonly string[] {
  if (value === undefined) return field.required ? [`${path}: is required`] : [];
  if (value === unknownValue || value === null) return [];
  if (field.type === 'set' && Array.isArray(value)) {
    const member: Input = { ...field, type: 'string' };
    return value.flatMap((one) => mistakesIn(path, member, one, profile));
  }
  if (typeof value !== field.type) {
    const wanted = field.type === 'set' ? 'list' : field.type;
    return [`${path}: must be a ${wanted}, not of type ${typeof value}`];
  }
  if (typeof value !== 'string') return [];
  if (field.writeOnly) return [];
  const violation =
    stringViolation(field, value, profile) ??
    (field.refersTo === undefined ? undefined : idViolation(field.refersTo, value));
  if (violation === undefined) return [];
  return [
    `${path}: ${violation.subject === 'value' ? `${JSON.stringify(value.slice(0, 80))} ` : ''}${violation.problem}`,
  ];
}

/** Groups the given fields that differ from the state by what their change does. */
export function differences({ fields }: ResourceType, olds: Props, news: Props, profile: Profile) {
  const differing: Record<kinds.Field['onChange'], string[]> = { update: [], replace: [] };
  for (const [name, field] of Object.entries(fields)) {
    const isSame = news[name] === undefined || kinds.sameValue(news[name], olds[name]);
    // The service may not show a field. Then the API's default is no difference.
    const isUsual = !(name in olds) && kinds.sameValue(news[name], field.default ?? null);
    if (!isSame && !isUsual) differing[onChangeOf(field, profile)].push(name);
  }
  return differing;
}

/** Returns the answer of `diff`. When `changes` is absent, the engine compares the inputs itself and shows each difference. */
export function diffInputs(type: ResourceType, olds: Props, news: Props, profile: Profile) {
  const { update, replace } = differences(type, olds, news, profile);
  const own = Object.keys(type.own).filter((name) => !kinds.sameValue(olds[name], news[name]));
  const isRecorded = optionalIn(type, news) === olds.managed;
  const isSame = isRecorded && update.length + replace.length + own.length === 0;
  // The engine treats null as absent, so it must be told of a change that it cannot see.
  const isUnseen = sameInputs(inputsBehind(type, olds), news);
  return { replaces: replace, ...(isSame ? { changes: false } : isUnseen && { changes: true }) };
}

/** Compares inputs as the engine does: null and absent are equal. */
export function sameInputs(one: Props, other: Props): boolean {
  return Object.keys({ ...one, ...other }).every((name) => {
    return name === '__provider' || kinds.sameValue(one[name] ?? null, other[name] ?? null);
  });
}

/** Returns the state after a write. `managed` names its optional inputs, because the engine shows `read` no inputs. */
export function outputsOf(type: ResourceType, inputs: Props, found: Seen, address: string): Props {
  return stateOf({ ...inputs, managed: optionalIn(type, inputs) }, found, address);
}

type Seen = Omit<kinds.Found, 'id'>;

/** Returns the state with the values that the service shows now. The SDK fails for a member that is undefined. */
export function stateOf(before: Props, { values, outputs }: Seen, address: string): Props {
  const all = Object.entries({ ...before, ...values, ...outputs, address });
  const given = all.filter(([, value]) => value !== undefined);
  const ordered = (name: string, value: unknown) =>
    Array.isArray(value) ? inOrderOf(before[name], sorted(value)) : value;
  return Object.fromEntries(given.map(([name, value]) => [name, ordered(name, value)]));
}

function optionalIn({ fields, own }: ResourceType, inputs: Props): string | undefined {
  const optional = Object.entries<Input>({ ...fields, ...own }).filter(([, { required }]) => !required);
  return optional.flatMap(([name]) => (inputs[name] === undefined ? [] : [name])).join() || undefined;
}

/** Returns the inputs that the state was made from, with their present values. */
export function inputsBehind({ fields }: ResourceType, state: Props): Props {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const given = [...required, ...textOf(state, 'managed').split(',')].filter((name) => name in state);
  return Object.fromEntries(given.map((name) => [name, state[name]]));
}
