/** `make watch`: compiles what was saved, and runs the tests that stand for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { testsOf } from './watch/tests-of';

const root = resolve(__dirname, '../..');
const mocha = join(root, 'node_modules/mocha/bin/mocha.js');

const written = new Set<string>();
let running: ChildProcess | undefined;

/** Runs the tests of what the last compile wrote; those of an earlier one that still run are ended. */
function test(): void {
  const changed = [...written].map((file) => relative(root, file)).filter((file) => file.endsWith('.js'));
  written.clear();
  const tests = testsOf(root, changed);
  if (changed.length > 0 && tests.length === 0) say(`no test imports ${changed.join(', ')}`);
  if (tests.length === 0) return;
  running?.kill();
  say(tests.join(' '));
  running = spawn(process.execPath, [mocha, '--exit', '--reporter', 'dot', ...tests], {
    cwd: root,
    stdio: 'inherit',
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function show(diagnostic: ts.Diagnostic): void {
  const host = {
    getCanonicalFileName: (file: string) => file,
    getCurrentDirectory: () => root,
    getNewLine: () => '\n',
  };
  say(ts.formatDiagnostic(diagnostic, host).trimEnd());
}

const host = ts.createWatchCompilerHost(
  join(root, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    writeFile: (file, text, mark) => {
      written.add(file);
      ts.sys.writeFile(file, text, mark);
    },
  },
  ts.createEmitAndSemanticDiagnosticsBuilderProgram,
  show,
  (diagnostic, _newLine, _options, errors) => {
    if (errors === undefined) return;
    say(
      errors === 0
        ? 'compiled; save a file to see its tests'
        : ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'),
    );
    if (errors === 0) test();
  },
);
ts.createWatchProgram(host);
