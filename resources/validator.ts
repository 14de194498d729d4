/** Checks values by a JSON Schema: those of the package are compiled when it is built, any other at its first use. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as Library from 'ajv';

export interface BuiltValidator {
  readonly text: string;
  readonly validate: Library.ValidateFunction;
}

export const builtFolder = join(__dirname, '..', 'validators');

/** A built validator is taken only for the very same schema. Without one, compiling costs time. */
export function validatorOf(name: string, schema: object): Library.ValidateFunction {
  const file = join(builtFolder, `${name}.cjs`);
  const built = existsSync(file) ? (require(file) as BuiltValidator) : null;
  return built?.text === JSON.stringify(schema) ? built.validate : createAjv().compile(schema);
}

/** The library is loaded late, because loading takes longer than all checks. */
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
