/** A job of a CI system, reduced to what our example uses, and a runner for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ended, runProcess } from './run-process';

/** What started a pipeline, and the variables it may see. */
export interface Trigger {
  readonly event: 'pull_request' | 'push' | 'schedule' | 'workflow_dispatch';
  readonly variables: Readonly<Record<string, string>>;
  /** Of a run by hand: the digest that was typed in. */
  readonly digest?: string;
}

export interface JobStep {
  readonly name: string;
  readonly script: string;
  /** Variables of this step alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs after a failure too. */
  readonly always: boolean;
  /** Fails when any part of a pipe does, and not only the last. */
  readonly pipefail: boolean;
}

export interface Job {
  readonly name: string;
  /** The branch is checked out instead of the commit that started the job. */
  readonly checksOutBranch: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly JobStep[];
  /** Files kept when the job ends, however it ends. */
  readonly keeps: readonly string[];
  /** Jobs with one group run one after the other. */
  readonly group: string | null;
}

export interface JobResult {
  readonly ok: boolean;
  readonly steps: readonly (Ended & { readonly name: string })[];
  readonly output: string;
  /** Those of `keeps` that exist. */
  readonly kept: readonly string[];
}

/** Runs the steps in `cwd` as a CI system does: after a failure only those that always run. */
export async function runJob(job: Job, cwd: string, machine: NodeJS.ProcessEnv): Promise<JobResult> {
  const steps: (Ended & { name: string })[] = [];
  let ok = true;
  for (const step of job.steps) {
    if (!ok && !step.always) continue;
    const env = { ...machine, ...job.env, ...step.env };
    const ended = await runProcess(
      'bash',
      [...(step.pipefail ? ['-eo', 'pipefail'] : ['-e']), '-c', step.script],
      { cwd, env },
    );
    steps.push({ name: step.name, ...ended });
    ok &&= ended.code === 0;
  }
  return {
    ok,
    steps,
    output: steps.map(({ name, code, stdout, stderr }) => `[${name}: ${code}]\n${stdout}${stderr}`).join(''),
    kept: job.keeps.filter((file) => existsSync(join(cwd, file))),
  };
}
