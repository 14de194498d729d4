/** The Python that `tools/pulumi/build-python` made, and the SDK of this package for it; a word when they are not there. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { codegen, engineFolder, needCodegen, root } from './pulumi-engine';
import { runProcess } from './run-process';

const folder = join(engineFolder(), 'python');
const python = join(folder, 'venv', 'bin', 'python');

/** As `needCodegen`, of `TETHER_REQUIRE` python. */
export function needPython(context: Mocha.Context): void {
  needCodegen(context);
  if (existsSync(python) && existsSync(join(folder, 'requirements.txt'))) return;
  if ((process.env.TETHER_REQUIRE ?? '').split(',').includes('python')) {
    throw new Error('TETHER_REQUIRE names python, and it is not there: make pulumi-python builds it');
  }
  context.skip();
}

/** Generates the SDK, and installs it as its readers do, into the folder; gives the interpreter, and the variables with which programs import it. */
export async function pythonSdk(into: string) {
  const run = async (command: string, ...args: string[]) => {
    const ended = await runProcess(command, args, { cwd: root, env: process.env });
    assert.equal(ended.code, 0, ended.stderr);
  };
  const [source, installed] = [join(into, 'source'), join(into, 'installed')];
  await run(codegen, 'sdk', join(root, 'schemas/pulumi.schema.json'), source);
  const offline = ['--no-deps', '--no-index', '--no-build-isolation', '--target', installed];
  await run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...offline, source);
  const path = `${join(engineFolder(), 'bin')}:${process.env.PATH}`;
  return { python, env: { PATH: path, PYTHONPATH: installed, PYTHONDONTWRITEBYTECODE: '1' } };
}
