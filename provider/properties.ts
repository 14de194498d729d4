/** Inputs and states of resources as plain JSON: how they are checked, compared and recorded. */
import { findDifferences } from '../resources/diff';
import { type FieldValues, type Found, sameValue } from '../resources/kind';
import { checkProgramInputs, type InputTable } from '../resources/program-inputs';
import { linkName, type Session } from './session';

/** Inputs or outputs of one resource. */
export type Props = Readonly<Record<string, unknown>>;

/** Every method of a resource type gets this first. */
export interface Context<Type extends InputTable = InputTable> {
  readonly session: Session;
  readonly type: Type;
}

/** The SDK's mark for a value that a preview does not know. */
const unknownValue = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** Returns a known string, or an empty one for any other value. */
export function readString(props: Props, name: string): string {
  const { [name]: value } = props;
  return typeof value === 'string' && value !== unknownValue ? value : '';
}

/** Returns the known strings of a list, sorted and without duplicates. */
export function readMembers(props: Props, name: string): readonly string[] {
  const { [name]: value } = props;
  return Array.isArray(value) ? toSet(value).filter((member) => member !== unknownValue) : [];
}

/** Returns the known values of the fields, including secrets. */
export function readFields({ fields }: Pick<InputTable, 'fields'>, props: Props): FieldValues {
  const entries = Object.entries(hideUnknown(props));
  return Object.fromEntries(entries.filter(([name, value]) => name in fields && value !== undefined));
}

/** A value that a preview does not know becomes undefined, but its name stays: it is not missing. */
function hideUnknown(props: Props): FieldValues {
  const hide = (value: unknown) => (value === unknownValue ? undefined : value);
  const entries = Object.entries(props).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.filter((member) => member !== unknownValue) : hide(value)];
  });
  return Object.fromEntries(entries) as FieldValues;
}

/** The engine compares lists place by place, so inputs and states have the same order. */
export function toSet(members: readonly unknown[]): readonly string[] {
  return [...new Set(members.map(String))].sort();
}

/** Normalizes inputs and reports every mistake. A failure names no property, because the engine would print its value. */
export function checkInputs({ session, type }: Context, olds: Props, news: Props) {
  session.isProgram = true;
  // Null clears a nullable field, and means "absent" for any other.
  const entries = Object.entries(news).flatMap(([name, value]) => {
    const field = type.fields[name];
    if (name === '__provider' || value === undefined || (value === null && !field?.nullable)) return [];
    return [[name, field?.type === 'set' && Array.isArray(value) ? toSet(value) : value] as const];
  });
  const inputs: Props = Object.fromEntries(entries);
  const isNew = Object.keys(olds).length === 0;
  const isCreated = isNew && inputs.adoptId === undefined;
  const { profile } = session.account;
  const { links, mistakes, secrets } = checkProgramInputs(type, hideUnknown(inputs), isCreated, profile);
  for (const link of links) session.wantedNames.add(linkName(type.definition, link));
  // A preview already fails without an address or a token, unless nothing is new or changed.
  if (isNew && mistakes.length === 0) session.connect();
  const failures = mistakes.map((reason) => ({ property: '', reason }));
  return { inputs: { ...inputs, ...secrets }, failures };
}

/** Returns the answer of `diff`. If `changes` is absent, the engine compares the inputs itself and shows each difference. */
export function diffInputs({ session, type }: Context, _id: string, olds: Props, news: Props) {
  const { update, replace } = findDifferences(type, olds, news, session.account.profile);
  const isSame = update.length + replace.length === 0 && listOptional(type, news) === olds.managed;
  if (isSame) return { replaces: replace, changes: false };
  session.connect();
  // The engine treats null as absent, so it must be told of a change that it cannot see.
  const before = readInputs(type, olds);
  const names = Object.keys(type.fields);
  const isUnseen = names.every((name) => sameValue(before[name] ?? null, news[name] ?? null));
  return { replaces: replace, ...(isUnseen && { changes: true }) };
}

/** Returns the state after a write. `managed` names its optional inputs, because the engine shows `read` no inputs. */
export function createState({ session, type }: Context, inputs: Props, found: Omit<Found, 'id'>): Props {
  return updateState(session, { ...inputs, managed: listOptional(type, inputs) }, found);
}

/** Returns the state with the values that the service shows now. The SDK fails for a member that is undefined. */
export function updateState(session: Session, before: Props, { values, outputs }: Omit<Found, 'id'>): Props {
  const state = { ...before, ...values, ...outputs, address: session.api.address };
  const entries = Object.entries(state).filter(([, value]) => value !== undefined);
  const sorted = (value: unknown) => (Array.isArray(value) ? toSet(value) : value);
  return Object.fromEntries(entries.map(([name, value]) => [name, sorted(value)]));
}

/** Returns the inputs that the state was made from, with their present values. */
export function readInputs({ fields }: InputTable, state: Props): Props {
  const optional = readString(state, 'managed').split(',');
  const isInput = (name: string) => fields[name]?.required || optional.includes(name);
  return Object.fromEntries(Object.entries(state).filter(([name]) => isInput(name)));
}

function listOptional({ fields }: InputTable, inputs: Props): string | undefined {
  const names = Object.keys(fields).filter((name) => !fields[name]?.required && inputs[name] !== undefined);
  return names.join() || undefined;
}
