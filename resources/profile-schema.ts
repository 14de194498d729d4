/** Checks a parsed profile against `schemas/profile.schema.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';

/** All mistakes of the value, one line each with its path; empty when it is a profile. */
export function profileIssues(value: unknown): string[] {
  const schema = JSON.parse(
    readFileSync(join(__dirname, '..', '..', 'schemas', 'profile.schema.json'), 'utf8'),
  ) as object;
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strict: true }).compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    const extra = error.keyword === 'additionalProperties' ? ` "${error.params.additionalProperty}"` : '';
    return `${error.instancePath || '/'}: ${error.message ?? 'is wrong'}${extra}`;
  });
}
