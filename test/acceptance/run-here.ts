/** Runs the suite with its commands in one process, which a test can kill as a whole. */
import { here } from './acceptance-world';
import { readSettings } from './settings';
import { runSuite } from './suite';

void runSuite({
  settings: readSettings(process.env, process.cwd()),
  tether: here,
  signal: new AbortController().signal,
  print: (line) => void process.stderr.write(`${line}\n`),
}).then(({ exitCode, table = '' }) => {
  process.stdout.write(table);
  process.exitCode = exitCode;
});
