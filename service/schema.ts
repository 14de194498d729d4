// JSON Schemas that carry the TypeScript type of what they accept, so that the form of a value is spelt once.

/** A JSON Schema. */
export type Schema = { readonly [keyword: string]: unknown };

declare const accepted: unique symbol;

/** A schema that accepts the values of a type. */
export type SchemaOf<Value> = Schema & { readonly [accepted]?: Value };

/** The type of the values that a schema accepts. */
export type TypeOf<Of> = Of extends { readonly [accepted]?: infer Value } ? Value : never;

class Optional<Value> {
  constructor(readonly schema: SchemaOf<Value>) {}
}

/** Members of an object by name; those that may be absent are wrapped by `optional`. */
export type Properties = { readonly [name: string]: SchemaOf<unknown> | Optional<unknown> };

type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type Mandatory<Of extends Properties> = {
  readonly [Name in keyof Of as Of[Name] extends Optional<unknown> ? never : Name]: TypeOf<Of[Name]>;
};
type Possible<Of extends Properties> = {
  readonly [Name in keyof Of as Of[Name] extends Optional<unknown>
    ? Name
    : never]?: Of[Name] extends Optional<infer Value> ? Value : never;
};

/** The type of an object with these members. */
export type Members<Of extends Properties> = Flat<Mandatory<Of> & Possible<Of>>;

/** Any string. */
export const text: SchemaOf<string> = { type: 'string' };

/** A string with at least one character. */
export const someText: SchemaOf<string> = { type: 'string', minLength: 1 };

/** True or false. */
export const flag: SchemaOf<boolean> = { type: 'boolean' };

/** A string that matches a regular expression; `means` says in words what it must be. */
export function matching(pattern: string, means?: string): SchemaOf<string> {
  return { type: 'string', pattern, ...(means === undefined ? {} : { description: means }) };
}

/** A whole number within bounds. */
export function integer(bounds: { minimum?: number; maximum?: number } = {}): SchemaOf<number> {
  return { type: 'integer', ...bounds };
}

/** One of these values. */
export function choice<const Value extends string | null>(...values: readonly Value[]): SchemaOf<Value> {
  return { enum: values };
}

/** Exactly this text. */
export function exactly<const Value extends string>(value: Value): SchemaOf<Value> {
  return { const: value };
}

/** What the schema, which has a `type`, accepts, or null. */
export function orNull<Value>(schema: SchemaOf<Value>): SchemaOf<Value | null> {
  return { ...schema, type: [schema.type, 'null'] };
}

/** An array of such items. */
export function list<Value>(items: SchemaOf<Value>): SchemaOf<readonly Value[]> {
  return { type: 'array', items };
}

/** An object of such values under any keys, or under keys that follow a schema. */
export function map<Value>(
  values: SchemaOf<Value>,
  keys?: Schema,
): SchemaOf<{ readonly [key: string]: Value }> {
  return { type: 'object', ...(keys ? { propertyNames: keys } : {}), additionalProperties: values };
}

/** Marks a member of an object that may be absent. */
export function optional<Value>(schema: SchemaOf<Value>): Optional<Value> {
  return new Optional(schema);
}

/** An object with these members and any others. */
export function object<const Of extends Properties>(properties: Of): SchemaOf<Members<Of>> {
  const members = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map(([name, member]) => [name, member instanceof Optional ? member.schema : member]),
    ),
    required: members.flatMap(([name, member]) => (member instanceof Optional ? [] : [name])),
  };
}

/** An object with these members and no other. */
export function closed<const Of extends Properties>(properties: Of): SchemaOf<Members<Of>> {
  return { ...object(properties), additionalProperties: false };
}
