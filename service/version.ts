// The version of the package, as its own description says it.

import { readFileSync } from 'node:fs';
import path from 'node:path';

const description: { version: string } = JSON.parse(
  readFileSync(path.resolve(__dirname, '..', '..', 'package.json'), 'utf8'),
);

/** The package's version, such as `1.2.3`. */
export const { version } = description;
