/** Checks values by a JSON Schema. The build compiles those of the package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type * as Library from 'ajv';

export const builtFolder = join(__dirname, '..', 'validators');

/** Uses the validator from the build if it was made from the same schema, and compiles the schema otherwise. */
export function validatorOf(name: string, schema: object): Library.ValidateFunction {
  const file = join(builtFolder, `${name}.cjs`);
  type Built = { readonly text: string; readonly validate: Library.ValidateFunction };
  const built = existsSync(file) ? (require(file) as Built) : null;
  return built?.text === JSON.stringify(schema) ? built.validate : createAjv().compile(schema);
}

/** The library is loaded late, because loading takes longer than all checks. */
export function createAjv(options: Library.Options = {}): Library.Ajv {
  const { Ajv } = require('ajv') as typeof Library;
  return new Ajv({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateSchema: false,
    meta: false,
    formats: { uri: true },
    ...options,
  });
}
