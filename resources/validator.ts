/** Loads the validators that the build compiles from the package's JSON Schemas, so that a command starts without Ajv. */
import { join } from 'node:path';
import type { ValidateFunction } from 'ajv';

export const validatorsFolder = join(__dirname, '..', 'validators');

/** The build writes a file for each name, and fails if it cannot. */
export type ValidatorName = 'manifest' | 'profile' | 'ledger';

export function loadValidator(name: ValidatorName): ValidateFunction {
  return require(join(validatorsFolder, `${name}.cjs`)) as ValidateFunction;
}
