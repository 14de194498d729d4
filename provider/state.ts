/** What goes into the state and comes out of it: inputs, readable fields, outputs, and where the object is. */
import type { Field, FieldValues, Found, ResourceDefinition } from '../resources/kind';
import { isNonce } from '../resources/names';
import type { OwnInput } from './own-inputs';
import { inPlaces, isFieldValue, type Props, providerMember } from './props';

/** Names of the optional readable fields that were inputs: the SDK shows `read` the outputs alone. */
export const managedMember = 'managed';
/** The base URL of the service that has the object. */
export const addressMember = 'address';

/** The outputs of a resource as it was just seen, lists in the order of `before`. No member is ever undefined: the SDK would fail after the create. */
export function outputsOf(
  definition: Pick<ResourceDefinition, 'fields'>,
  inputs: Props,
  found: Pick<Found, 'values' | 'outputs'>,
  address: string,
  before: Props = inputs,
): Record<string, unknown> {
  const { [providerMember]: _, [managedMember]: __, ...given } = inputs;
  const managed = Object.entries(definition.fields).flatMap(([name, field]) =>
    isOptionalReadable(field) && given[name] !== undefined ? [name] : [],
  );
  return {
    ...given,
    ...plain(found.values, before),
    ...plain(found.outputs, before),
    [addressMember]: address,
    ...(managed.length === 0 ? {} : { [managedMember]: managed.join() }),
  };
}

/** The inputs that a state was made from, with the values it has now. */
export function wereInputs(
  fields: Readonly<Record<string, Field>>,
  own: Readonly<Record<string, OwnInput>>,
  props: Props,
): Record<string, unknown> {
  const text = props[managedMember];
  const managed = new Set(typeof text === 'string' ? text.split(',') : []);
  const inputs: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = props[name];
    // An unfinished create left its temporary name: shown as an input, it differs from the program's.
    const counts = !isOptionalReadable(field) || managed.has(name) || (name === 'name' && isNonce(value));
    if (value !== undefined && counts) inputs[name] = value;
  }
  for (const name of Object.keys(own)) {
    if (props[name] !== undefined) inputs[name] = props[name];
  }
  return inputs;
}

/** The fields among the inputs, secrets included, as a definition takes them. */
export function valuesOf(definition: Pick<ResourceDefinition, 'fields'>, inputs: Props): FieldValues {
  return Object.fromEntries(
    Object.keys(definition.fields).flatMap((name) => {
      const value = inputs[name];
      return value !== undefined && isFieldValue(value) ? [[name, value] as const] : [];
    }),
  );
}

function isOptionalReadable(field: Field): boolean {
  return field.required !== true && field.writeOnly !== true;
}

/** Lists as the SDK can write them, in the order they had. */
function plain(values: FieldValues, before: Props): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? inPlaces(before[name], value) : value,
    ]),
  );
}
