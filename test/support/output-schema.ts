/** Holds what a command prints with `--json` to the published schema. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import type { Head } from '../../cli/documents';

const file = join(__dirname, '..', '..', '..', 'schemas', 'output.schema.json');
let validate: ValidateFunction | undefined;

/** Why the schema refuses a document; empty where it takes it. */
export function schemaProblems(document: unknown): readonly string[] {
  validate ??= new Ajv({ strict: true, allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(readFileSync(file, 'utf8')) as object,
  );
  if (validate(document)) return [];
  return (validate.errors ?? []).map(
    (one) => `${one.instancePath} ${one.message} ${JSON.stringify(one.params)}`,
  );
}

/** Of a run: its only line of text is a document of the schema. `schema` prints another one. */
export function checkOutput(
  args: readonly string[],
  { stdout, code }: { stdout: string; code: number | null },
): void {
  if (!args.includes('--json') || args.includes('--help') || ['schema', 'serve'].includes(args[0] ?? ''))
    return;
  const document = JSON.parse(stdout) as Head;
  const problems = schemaProblems(document);
  const ofThis = problems.filter((one) => !one.includes('/command') && !one.includes('"error"'));
  assert.equal(
    problems.length,
    0,
    `tether ${args.join(' ')}\n${ofThis.slice(0, 20).join('\n')}\n${stdout.slice(0, 3000)}`,
  );
  assert.equal(document.exitCode, code);
}
