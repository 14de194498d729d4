// Checks bodies and queries against the schemas of their route, and says what is wrong with each member.

import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { type Complaint, Refusal } from '../rules/problem';
import type { Schema } from './operation';

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

function withNumbers(schema: Schema, query: unknown): unknown {
  const { properties } = schema;
  const read = Object.entries(query ?? {}).map(([name, value]: [string, unknown]) => {
    const property: unknown = properties && Reflect.get(properties, name);
    const integer =
      typeof property === 'object' && property !== null && Reflect.get(property, 'type') === 'integer';
    const spelled = typeof value === 'string' && /^\d+$/.test(value);
    return [name, integer && spelled ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value];
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
  const complaints = errors.map((error) => (part === 'querystring' ? ofQuery(error) : ofBody(error)));
  const tooLarge = errors.every(({ keyword }) => keyword === 'maximum');
  return new Refusal(part === 'querystring' && !tooLarge ? 400 : 422, complaints);
}

type SchemaError = FastifySchemaValidationError & Pick<ErrorObject, 'parentSchema'>;

function ofBody(error: FastifySchemaValidationError): Complaint {
  const { missingProperty } = error.params;
  if (typeof missingProperty === 'string') {
    return {
      detail: `${missingProperty} is missing`,
      source: { pointer: `${error.instancePath}/${missingProperty}` },
    };
  }
  const name = error.instancePath.split('/').at(-1) || 'the body';
  return { detail: `${name} ${expectation(error)}`, source: { pointer: error.instancePath } };
}

function ofQuery(error: SchemaError): Complaint {
  const { missingProperty } = error.params;
  if (typeof missingProperty === 'string') {
    return { detail: `${missingProperty} is missing`, source: { parameter: missingProperty } };
  }
  const parameter = error.instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  const description: unknown = error.parentSchema?.description;
  const known = error.keyword === 'pattern' && typeof description === 'string';
  const detail = known
    ? `${parameter} is not understood. ${description}`
    : `${parameter} ${expectation(error)}`;
  return { detail, source: { parameter } };
}

function expectation({ keyword, params, message }: FastifySchemaValidationError): string {
  if (keyword === 'enum') return `must be one of ${[params.allowedValues].flat().join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'pattern') return 'must be an http or https URL';
  if (keyword === 'type') return `must be ${[params.type].flat().join(' or ')}`;
  return message ?? 'is not acceptable';
}
