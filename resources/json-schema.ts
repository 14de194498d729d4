/** Parts of the JSON Schemas of manifests and ledgers. */

/** A JSON Schema of draft-07, or a part of one. */
export interface JsonSchema {
  readonly [member: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Properties;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | undefined;
  readonly oneOf?: readonly JsonSchema[];
}

type Properties = Readonly<Record<string, JsonSchema>>;

export function idSchema(prefix: string): JsonSchema {
  return { type: 'string', pattern: `^${prefix}-[A-Za-z0-9_-]+$` };
}

export function strict(properties: Properties, required: readonly string[] = []): JsonSchema {
  const needed = required.length === 0 ? {} : { required };
  return { type: 'object', additionalProperties: false, ...needed, properties };
}
