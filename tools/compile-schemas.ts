/** Compiles the schemas of the package to code as the last step of a build. Commands then start without Ajv. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import standaloneCode from 'ajv/dist/standalone';
import { manifestSchema } from '../manifest/schema';
import { ledgerSchema } from '../reconciler/ledger/document';
import { profileSchema } from '../resources/profile';
import { builtFolder, createAjv } from '../resources/validator';

const schemas: Readonly<Record<string, object>> = {
  manifest: manifestSchema(),
  profile: profileSchema(),
  ledger: ledgerSchema(),
};

mkdirSync(builtFolder, { recursive: true });
for (const [name, schema] of Object.entries(schemas)) {
  const ajv = createAjv({ code: { source: true } });
  const text = `exports.text = ${JSON.stringify(JSON.stringify(schema))};\n`;
  writeFileSync(
    join(builtFolder, `${name}.cjs`),
    standaloneCode(ajv, ajv.compile(schema))
      .replace('module.exports = validate', 'exports.validate = validate')
      .replace(/module\.exports\.default = \w+;/, text),
  );
}
