/** Checks values by a JSON Schema: those of the package are compiled when it is built, any other at its first use. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as Library from 'ajv';

/** What was built in advance. */
export interface BuiltValidator {
  /** The schema that it was made from. */
  readonly text: string;
  readonly validate: Library.ValidateFunction;
}

export const builtFolder = join(__dirname, '..', 'validators');

/** `name` finds what was built. It is taken only for the very same schema, so another one, or none, costs time alone. */
export function validatorOf(name: string, schema: object): Library.ValidateFunction {
  const file = join(builtFolder, `${name}.cjs`);
  const built = existsSync(file) ? (require(file) as BuiltValidator) : null;
  return built?.text === JSON.stringify(schema) ? built.validate : createAjv().compile(schema);
}

/** Loaded here, as it takes longer than all checks. A test compiles our schemas strictly. */
export function createAjv(options: Library.Options = {}): Library.Ajv {
  const { Ajv } = require('ajv') as typeof Library;
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateSchema: false,
    meta: false,
    formats: { uri: true },
    ...options,
  });
  // The readers tell repeats; Ajv cannot compare objects without a prototype.
  ajv.removeKeyword('uniqueItems').addKeyword('uniqueItems');
  return ajv;
}
