// Checks bodies and queries against the schemas of their route, and says what is wrong with each member.

import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { Refusal, type Violation } from '../rules/refusal';
import type { Schema } from '../schema';

const ajv = new Ajv({
  allErrors: true,
  allowUnionTypes: true,
  strictTypes: false,
  validateFormats: false,
  verbose: true,
});

// By their text: compiling takes most of the time that a service needs to start, and tests start thousands.
const compiled = new Map<string, ValidateFunction>();

function compile(schema: Schema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate;
}

/** Compiles a route's schemas. Query texts that spell whole numbers become numbers first. */
export const compileSchema: FastifySchemaCompiler<Schema> = ({ schema, httpPart }) => {
  const validate = compile(schema);
  return (value: unknown) => {
    const subject = httpPart === 'querystring' ? withNumbers(schema, value) : value;
    if (validate(subject)) return { value: subject };
    return {
      error: Object.assign(new Error('refused by the schema'), { validation: validate.errors ?? [] }),
    };
  };
};

function withNumbers({ properties = {} }: { readonly properties?: unknown }, query: unknown): unknown {
  const types = new Map(Object.entries(properties ?? {}).map(([name, { type }]) => [name, type]));
  const read = Object.entries(query ?? {}).map(([name, value]: [string, unknown]) => {
    const spelled = types.get(name) === 'integer' && typeof value === 'string' && /^\d+$/.test(value);
    return [name, spelled ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value];
  });
  return Object.fromEntries(read);
}

/**
 * What a failed check means: 422 with pointers for a body, 400 with parameter names for a query.
 * Only a page size over the maximum is 422: it is understood, and refused.
 */
export function refusalOf(
  errors: readonly FastifySchemaValidationError[],
  part: string | undefined,
): Refusal {
  if (part !== 'querystring') return new Refusal(422, errors.map(violationOfBody));
  const tooLarge = errors.every(({ keyword }) => keyword === 'maximum');
  return new Refusal(tooLarge ? 422 : 400, errors.map(violationOfQuery));
}

type SchemaError = FastifySchemaValidationError & Pick<ErrorObject, 'parentSchema'>;

function violationOfBody(error: SchemaError): Violation {
  const { missingProperty: missing } = error.params;
  if (typeof missing === 'string') {
    return { detail: `${missing} is missing`, source: { pointer: `${error.instancePath}/${missing}` } };
  }
  const name = error.instancePath.split('/').at(-1) || 'the body';
  return { detail: `${name} ${expectation(error)}`, source: { pointer: error.instancePath } };
}

function violationOfQuery(error: SchemaError): Violation {
  const { missingProperty: missing } = error.params;
  if (typeof missing === 'string') return { detail: `${missing} is missing`, source: { parameter: missing } };
  const parameter = error.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const known = error.keyword === 'pattern' && error.parentSchema?.description;
  const detail = known ? `${parameter} is not understood. ${known}` : `${parameter} ${expectation(error)}`;
  return { detail, source: { parameter } };
}

function expectation({ keyword, params, message, parentSchema }: SchemaError): string {
  if (keyword === 'enum') return `must be one of ${[params.allowedValues].flat().join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'pattern' && parentSchema?.description) return `must be ${parentSchema.description}`;
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  return message ?? 'is not acceptable';
}
