/** A job of a CI system, reduced to what our files use, and a runner for it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Ended, runProcess } from './run-process';

/** What started a pipeline, and the variables it may see. */
export interface Trigger {
  readonly event: 'pull_request' | 'push' | 'schedule' | 'workflow_dispatch';
  readonly variables: Readonly<Record<string, string>>;
  /** Of a run by hand: the digest that was typed in. */
  readonly digest?: string;
}

/** What a step finds when its turn comes. */
export interface JobState {
  /** No step has failed. */
  readonly ok: boolean;
  /** A folder of this run alone, outside the checkout. */
  readonly temp: string;
  /** By the id of the step. */
  readonly ended: ReadonlyMap<
    string,
    { readonly outcome: string; readonly outputs: ReadonlyMap<string, string> }
  >;
}

export interface JobStep {
  readonly name: string;
  /** Its outcome and outputs are found by it. */
  readonly id?: string;
  /** What bash runs; the step keeps files as an artifact instead where it has `keep`. */
  readonly script: string;
  /** The artifact's name and the folder or file in it; nothing where that does not exist. */
  keep?(state: JobState): { readonly name: string; readonly path: string };
  starts(state: JobState): boolean;
  /** Variables of this step alone. */
  env(state: JobState): Readonly<Record<string, string>>;
  /** Fails when any part of a pipe does, and not only the last. */
  readonly pipefail: boolean;
}

export interface Job {
  readonly name: string;
  readonly event: Trigger['event'];
  /** The branch is checked out instead of the commit that started the job. */
  readonly checksOutBranch: boolean;
  /** What the job's own token may do. */
  readonly permissions: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly JobStep[];
  /** Jobs with one group run one after the other. */
  readonly group: string | null;
}

export interface JobResult {
  readonly ok: boolean;
  readonly steps: readonly (Ended & { readonly name: string })[];
  readonly output: string;
  /** Files of the artifacts, `NAME/FILE`, with their text. */
  readonly kept: ReadonlyMap<string, string>;
}

function outputsIn(file: string): ReadonlyMap<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

function filesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Runs the steps in `cwd` as a CI system does: after a failure only those that always run. */
export async function runJob(job: Job, cwd: string, machine: NodeJS.ProcessEnv): Promise<JobResult> {
  const temp = mkdtempSync(join(machine.HOME ?? tmpdir(), 'runner-'));
  const steps: (Ended & { name: string })[] = [];
  const ended = new Map<string, { outcome: string; outputs: ReadonlyMap<string, string> }>();
  const kept = new Map<string, string>();
  let ok = true;
  for (const [index, step] of job.steps.entries()) {
    const state = { ok, temp, ended };
    if (!step.starts(state)) {
      if (step.id !== undefined) ended.set(step.id, { outcome: 'skipped', outputs: new Map() });
      continue;
    }
    if (step.keep !== undefined) {
      const { name, path } = step.keep(state);
      const whole = resolve(cwd, path);
      for (const file of filesOf(whole))
        kept.set(`${name}/${file.slice(whole.length + 1)}`, readFileSync(file, 'utf8'));
      continue;
    }
    const outputs = join(temp, `outputs-${index}`);
    const env = { ...machine, ...job.env, GITHUB_OUTPUT: outputs, ...step.env(state) };
    const shell = [...(step.pipefail ? ['-eo', 'pipefail'] : ['-e']), '-c', step.script];
    const end = await runProcess('bash', shell, { cwd, env });
    steps.push({ name: step.name, ...end });
    const outcome = end.code === 0 ? 'success' : 'failure';
    if (step.id !== undefined) ended.set(step.id, { outcome, outputs: outputsIn(outputs) });
    ok &&= end.code === 0;
  }
  return {
    ok,
    steps,
    output: steps.map(({ name, code, stdout, stderr }) => `[${name}: ${code}]\n${stdout}${stderr}`).join(''),
    kept,
  };
}
