/** Compiles the schemas of the package to code, the last step of a build: commands then start without Ajv. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _ } from 'ajv';
import standaloneCode from 'ajv/dist/standalone';
import { manifestSchema } from '../manifest/schema';
import { formats, shapes } from '../reconciler/ledger/ledger';
import { profileSchema } from '../resources/profile';
import { registry } from '../resources/registry';
import { builtFolder, createAjv } from '../resources/validator';

const schemas: Readonly<Record<string, object>> = {
  manifest: manifestSchema(registry),
  profile: profileSchema(),
  ...Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [`ledger-${name}`, shape])),
};

mkdirSync(builtFolder, { recursive: true });
for (const [name, schema] of Object.entries(schemas)) {
  const code = { source: true, formats: _`require("../reconciler/ledger/ledger.js").formats` };
  const ajv = createAjv(formats, { code });
  const text = `exports.text = ${JSON.stringify(JSON.stringify(schema))};\n`;
  writeFileSync(
    join(builtFolder, `${name}.cjs`),
    standaloneCode(ajv, ajv.compile(schema))
      .replace('module.exports = validate', 'exports.validate = validate')
      .replace(/module\.exports\.default = \w+;/, text),
  );
}
