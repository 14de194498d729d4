/** Makes docs/spec-gaps.md out of the marks in the names of tests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { gapStatements } from '../test/contract/gap-statements';

/** The tests that prove each statement: the file's name and the sentence. */
type Proofs = ReadonlyMap<string, readonly string[]>;

interface ListedTests {
  readonly tests: readonly { readonly fullTitle: string }[];
}

/** Reads the names of the compiled tests without running them; in a process of its own, as loading changes globals. */
export function readProofs(root: string): Proofs {
  const mocha = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const files = ['contract/*.test.js', 'client/documents.test.js'].map((name) => join('dist', 'test', name));
  const flags = ['--no-config', '--dry-run', '--reporter', 'json', ...files];
  const { stdout } = spawnSync(process.execPath, [mocha, ...flags], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { tests }: ListedTests = JSON.parse(stdout);
  const proofs = new Map<string, string[]>();
  for (const { fullTitle } of tests) {
    const [, sentence = '', marks = ''] = /^(.*) \[([^\]]*)\]$/.exec(fullTitle) ?? [];
    for (const id of marks.split(' ').filter((mark) => mark !== '')) {
      proofs.set(id, [...(proofs.get(id) ?? []), sentence]);
    }
  }
  return proofs;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function proofCell(proofs: Proofs, id: string): string {
  const sentences = proofs.get(id) ?? [];
  const more = sentences.length > 3 ? [`and ${sentences.length - 3} more`] : [];
  return [...sentences.slice(0, 3).map(cell), ...more].join('<br>');
}

/** Refuses statements that no test proves. Throws an Error that names them all. */
function requireProofs(ids: readonly string[], proofs: Proofs): void {
  const unproved = ids.filter((id) => !proofs.has(id));
  if (unproved.length === 0) return;
  throw new Error(`No contract test proves: ${unproved.join(', ')}. Name them in a test with proves([...]).`);
}

const notice =
  'Generated from the names of the tests in `test/contract/` and `test/client/documents.test.ts` by `make docs`. Do not edit.';

/** docs/spec-gaps.md: what the API text leaves open, what the service does there, and the tests of it. */
export function gapTable(proofs: Proofs): string {
  const rows = Object.entries(gapStatements);
  requireProofs(
    rows.map(([id]) => id),
    proofs,
  );
  const lines = rows.map(
    ([id, [question, answer]]) => `| ${cell(question)} | ${cell(answer)} | ${proofCell(proofs, id)} |`,
  );
  const head = [
    '# What the API text leaves open, and what we do there',
    '',
    notice,
    'Where the answer names a behaviour, `tether serve --behaviour NAME=VALUE` chooses; see `service.md`.',
    '',
    '| Open | The embedded service | Proved by |',
    '|---|---|---|',
  ];
  return `${[...head, ...lines].join('\n')}\n`;
}
