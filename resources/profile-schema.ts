/** Checks a parsed profile against `schemas/profile.schema.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';

/** Compiled at the first use: compiling takes longer than judging hundreds of profiles. */
let compiled: ValidateFunction | undefined;

/** All mistakes of the value, one line each with its path; empty when it is a profile. */
export function profileIssues(value: unknown): string[] {
  compiled ??= compile();
  const validate = compiled;
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const extra = error.keyword === 'additionalProperties' ? named(error.params.additionalProperty) : '';
    return `${error.instancePath || '/'}: ${error.message ?? 'is wrong'}${extra}`;
  });
}

/** A key that may be a slip of the keyboard; another may be the content of a file that is no profile. */
function named(key: unknown): string {
  return typeof key === 'string' && /^\$?[A-Za-z]{1,32}$/.test(key) ? ` "${key}"` : '';
}

function compile(): ValidateFunction {
  const schema = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'schemas', 'profile.schema.json'), 'utf8'),
  ) as object;
  return new Ajv({ allErrors: true, allowUnionTypes: true, strict: true }).compile(schema);
}
