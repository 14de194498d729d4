/** A copy of an infra repo in which `pulumi` and `tether` run as a person or a CI job types them. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { linkedProject } from './linked-project';
import { engineEnv, engineFolder, root } from './pulumi-engine';
import { type Ended, runProcess } from './run-process';

export class PulumiShell {
  /** Variables of every command; a test may change them in between. */
  readonly env: Record<string, string>;

  private constructor(
    private readonly home: string,
    env: Record<string, string>,
  ) {
    this.env = env;
  }

  /** Copies the folder and lays out what `npm install` would. */
  static of(folder: string): PulumiShell {
    const home = mkdtempSync(join(tmpdir(), 'tether-shell-'));
    const bin = join(home, 'bin');
    const modules = join(home, 'repo', 'node_modules');
    cpSync(folder, join(home, 'repo'), { recursive: true });
    linkedProject(join(home, 'repo'));
    for (const name of ['@types', 'typescript']) {
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
    }
    mkdirSync(bin);
    mkdirSync(join(home, 'state'));
    command(join(bin, 'tether'), join(root, 'dist/cli/main.js'));
    // The part of the language host that tests need.
    command(join(bin, 'pulumi-language-nodejs'), join(__dirname, 'language-host.js'));
    return new PulumiShell(home, {
      HOME: home,
      PATH: [bin, join(engineFolder(), 'bin'), process.env.PATH].join(delimiter),
      PULUMI_HOME: join(home, 'pulumi'),
      ...engineEnv,
    });
  }

  get folder(): string {
    return join(this.home, 'repo');
  }

  /** Runs a script in the copy, as a CI job does: it ends at the first command that fails. */
  run(script: string): Promise<Ended> {
    // The engine looks the home folder up by itself: `--local` would write into the real one.
    const localScript = script.replaceAll('pulumi login --local', `pulumi login 'file://${this.home}/state'`);
    // A person says yes, and so does the action of a CI job.
    const confirmed = localScript.replace(/^(\s*pulumi (?:up|destroy))\b/gmu, '$1 --yes');
    return runProcess('bash', ['-eo', 'pipefail', '-c', confirmed], { cwd: this.folder, env: this.env });
  }

  close(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

function command(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
  chmodSync(file, 0o755);
}
