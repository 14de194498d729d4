/** JSON Schemas that carry the TypeScript type of the values they accept, and checks with them. */
import Ajv, { type ErrorObject as SchemaError, type ValidateFunction } from 'ajv/dist/2020';

export type { SchemaError };

export type Schema = { readonly [keyword: string]: unknown };

/** No schema has the member `__type`. It exists at compile time only, to carry the type. */
export type SchemaOf<Value> = Schema & { readonly __type?: Value };

export type TypeOf<Of> = Of extends { readonly __type?: infer Value } ? Value : never;

export type Properties = { readonly [name: string]: SchemaOf<unknown> };

type Simplify<Type> = { [Name in keyof Type]: Type[Name] };

export type Members<Of extends Properties> = { readonly [Name in keyof Of]: TypeOf<Of[Name]> };

// Seeds, request bodies and the published OpenAPI document share these schemas.
export const string: SchemaOf<string> = { type: 'string' };
export const nonEmptyString: SchemaOf<string> = { type: 'string', minLength: 1 };
export const boolean: SchemaOf<boolean> = { type: 'boolean' };

/** `description` explains the pattern in words. */
export function matching(pattern: string, description?: string): SchemaOf<string> {
  return { type: 'string', pattern, ...(description && { description }) };
}

export function integer(bounds: { minimum?: number; maximum?: number } = {}): SchemaOf<number> {
  return { type: 'integer', ...bounds };
}

export function choice<const Value extends string | null>(...values: readonly Value[]): SchemaOf<Value> {
  return { enum: values };
}

export function reference(type: string) {
  return object({ id: string, type: choice(type) });
}

/** The schema must have a `type`. */
export function orNull<Value>(schema: SchemaOf<Value>): SchemaOf<Value | null> {
  return { ...schema, type: [schema.type, 'null'] };
}

export function list<Value>(items: SchemaOf<Value>): SchemaOf<readonly Value[]> {
  return { type: 'array', items };
}

export function map<Value>(
  values: SchemaOf<Value>,
  pattern = '',
): SchemaOf<{ readonly [key: string]: Value }> {
  return { type: 'object', propertyNames: { pattern }, additionalProperties: values };
}

/** Makes the schema of an object whose `possible` members may be absent. */
export function object<
  const Mandatory extends Properties,
  const Possible extends Properties = Record<never, never>,
>(
  mandatory: Mandatory,
  possible?: Possible,
): SchemaOf<Simplify<Members<Mandatory> & Partial<Members<Possible>>>> {
  return {
    type: 'object',
    properties: { ...mandatory, ...possible },
    required: Object.keys(mandatory),
  };
}

/** Makes the schema of an object with these optional members and no others. */
export function partial<const Of extends Properties>(members: Of) {
  const schema = object({}, members);
  return { ...schema, additionalProperties: false } as typeof schema;
}

const ajv = new Ajv({
  allErrors: true,
  allowUnionTypes: true,
  strictTypes: false,
  validateFormats: false,
  // The schema of profiles has an older draft. Its keywords have the same meaning.
  validateSchema: false,
  verbose: true,
});

// The key is the schema's text. Compiling takes most of a service's start, and tests start thousands.
const compiled = new Map<string, ValidateFunction>();

export function compile(schema: Schema) {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? ajv.compile(schema);
  compiled.set(key, validate);
  return (value: unknown): SchemaError[] => {
    const errors = validate(value) ? [] : (validate.errors ?? []);
    // A wrong key causes two errors, and the other one says more.
    return errors.filter(({ keyword }) => keyword !== 'propertyNames');
  };
}

export function describeError({ keyword, params, message, parentSchema }: SchemaError): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.map(String).join(', ')}`;
  if (keyword === 'pattern' && parentSchema?.description) return `must be ${parentSchema.description}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  return message ?? 'is not acceptable';
}
