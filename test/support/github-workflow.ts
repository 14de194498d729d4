/** Reads the part of a GitHub Actions workflow that our example uses; anything else is an error. */
import { parse } from 'yaml';
import type { Job, JobStep, Trigger } from './pipeline-job';

interface StepText {
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface JobText {
  readonly if: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly steps: readonly StepText[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, JobText>>;
}

/** `${{ secrets.X }}`, `${{ vars.X }}`, `${{ inputs.digest }}` and `${{ github.token }}`; what is not set is empty, as there. */
function substitute(text: string, trigger: Trigger): string {
  return text.replace(/\$\{\{\s*(\S+)\s*\}\}/gu, (_, expression: string) => {
    if (expression === 'inputs.digest') return trigger.digest ?? '';
    if (expression === 'github.token') return 'push-token';
    const name = /^(?:secrets|vars)\.(\w+)$/u.exec(expression)?.[1];
    if (name === undefined)
      throw new Error(`the example uses an expression this reader does not know: ${expression}`);
    return trigger.variables[name] ?? '';
  });
}

function environment(
  env: Readonly<Record<string, string>> | undefined,
  trigger: Trigger,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env ?? {}).map(([name, text]) => [name, substitute(text, trigger)]),
  );
}

function jobStarts(condition: string, trigger: Trigger): boolean {
  return condition.split('||').some((term) => {
    const event = /^github\.event_name == '(\w+)'$/u.exec(term.trim())?.[1];
    if (event === undefined) throw new Error(`unknown condition of a job: ${condition}`);
    return event === trigger.event;
  });
}

/** The step, or nothing where its condition keeps it from running. */
function readStep(
  step: StepText,
  env: Readonly<Record<string, string>>,
  trigger: Trigger,
): JobStep | undefined {
  if (step.run === undefined) return undefined;
  const always = step.if === 'always()';
  if (step.if !== undefined && !always) {
    const variable = /^env\.(\w+) != ''$/u.exec(step.if)?.[1];
    if (variable === undefined) throw new Error(`unknown condition of a step: ${step.if}`);
    if ((env[variable] ?? '') === '') return undefined;
  }
  return {
    name: step.name ?? step.run,
    script: step.run,
    env: environment(step.env, trigger),
    always,
    pipefail: step.shell === 'bash',
  };
}

/** The jobs that this trigger starts. */
export function readGithubWorkflow(text: string, trigger: Trigger): readonly Job[] {
  const workflow = parse(text) as Workflow;
  if (!(trigger.event in workflow.on)) return [];
  return Object.entries(workflow.jobs)
    .filter(([, job]) => jobStarts(job.if, trigger))
    .map(([name, job]) => {
      const env = { ...environment(workflow.env, trigger), ...environment(job.env, trigger) };
      const uses = (action: string): readonly StepText[] =>
        job.steps.filter((step) => step.uses?.startsWith(`${action}@`) === true);
      const uploads = uses('actions/upload-artifact').filter((step) => step.if === 'always()');
      return {
        name,
        env,
        checksOutBranch: uses('actions/checkout')[0]?.with?.ref === 'main',
        steps: job.steps.flatMap((step) => readStep(step, env, trigger) ?? []),
        keeps: uploads.map((step) => String(step.with?.path)),
        group: job.concurrency?.['cancel-in-progress'] === false ? job.concurrency.group : null,
      };
    });
}
