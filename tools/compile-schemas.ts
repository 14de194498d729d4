/** Compiles the schemas of the package to code as the last step of a build. Commands then start without Ajv. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone';
import { manifestSchema } from '../manifest/schema';
import { ledgerSchema } from '../reconciler/ledger/document';
import { profileSchema } from '../resources/profile';
import { loadValidator, type ValidatorName, validatorsFolder } from '../resources/validator';

const schemas: Readonly<Record<ValidatorName, object>> = {
  manifest: manifestSchema(),
  profile: profileSchema(),
  ledger: ledgerSchema(),
};

mkdirSync(validatorsFolder, { recursive: true });
for (const name of Object.keys(schemas) as ValidatorName[]) {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateSchema: false,
    meta: false,
    formats: { uri: true },
    code: { source: true },
  });
  writeFileSync(join(validatorsFolder, `${name}.cjs`), standaloneCode(ajv, ajv.compile(schemas[name])));
  if (typeof loadValidator(name) !== 'function')
    throw new Error(`the validator of a ${name} was not compiled`);
}
