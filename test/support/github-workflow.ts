/** Reads the part of a GitHub Actions workflow that our examples use, and our own action in it; anything else is an error. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { fill, holds, type Names } from './expression';
import type { Job, JobState, JobStep, Trigger } from './pipeline-job';

type Texts = Readonly<Record<string, string>>;

interface StepText {
  readonly name?: string;
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Texts;
}

interface JobText {
  readonly if: string;
  readonly permissions?: Texts;
  readonly env?: Texts;
  readonly concurrency?: { readonly group: string; readonly 'cancel-in-progress': boolean };
  readonly steps: readonly StepText[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Texts;
  readonly env?: Texts;
  readonly jobs: Readonly<Record<string, JobText>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly StepText[] };
}

const root = resolve(__dirname, '../../..');
export const action = parse(readFileSync(resolve(root, 'action.yml'), 'utf8')) as Action;
/** What a job's token is in these tests. */
export const jobToken = 'job-token';
/** The commit that starts a run of these tests. */
export const startingCommit = 'c'.repeat(40);

/** What is known when a run starts; what is not set is empty, as there. */
function namesOf(trigger: Trigger): Names {
  return (name) => {
    const variable = /^(?:secrets|vars)\.(\w+)$/u.exec(name)?.[1];
    if (variable !== undefined) return trigger.variables[variable] ?? '';
    if (name === 'inputs.digest') return trigger.digest ?? '';
    const github: Texts = {
      event_name: trigger.event,
      sha: startingCommit,
      token: jobToken,
      ref: 'refs/heads/main',
    };
    const value = github[name.replace(/^github\./u, '')];
    if (value === undefined) throw new Error(`a name this reader does not know: ${name}`);
    return value;
  };
}

/** The same with the inputs of the action and what its earlier steps left. */
function namesInAction(inputs: Texts, place: string, outside: Names, state: JobState): Names {
  return (name) => {
    if (name === 'always()') return true;
    if (name === 'cancelled()') return false;
    if (name === 'runner.temp') return state.temp;
    const input = /^inputs\.(\w+)$/u.exec(name)?.[1];
    if (input !== undefined) {
      const value = inputs[input];
      if (value === undefined) throw new Error(`the action has no input ${input}`);
      return value;
    }
    const [, id, key = '', output = ''] = /^steps\.(\w+)\.(outcome|outputs)(?:\.(\w+))?$/u.exec(name) ?? [];
    if (id === undefined) return outside(name);
    if (!action.runs.steps.some((step) => step.id === id)) throw new Error(`no step ${id}`);
    const end = state.ended.get(`${place}/${id}`);
    return (key === 'outcome' ? end?.outcome : end?.outputs.get(output)) ?? '';
  };
}

const filled = (texts: Texts | undefined, names: Names): Record<string, string> =>
  Object.fromEntries(Object.entries(texts ?? {}).map(([key, text]) => [key, fill(String(text), names)]));

/** A step runs while all is well, unless its condition says otherwise with a function of its own. */
function starts(step: StepText, state: JobState, names: Names): boolean {
  if (step.if === undefined) return state.ok;
  const saysItself = /\b(?:always|cancelled|success|failure)\(\)/u.test(step.if);
  return (saysItself || state.ok) && holds(step.if, names);
}

/** The steps of the action where a workflow uses it. */
function stepsOfAction(step: StepText, place: string, outside: Names): readonly JobStep[] {
  if (action.runs.using !== 'composite') throw new Error('only composite actions can be run here');
  const given = filled(step.with as Texts, outside);
  for (const name of Object.keys(given)) if (!(name in action.inputs)) throw new Error(`no input ${name}`);
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => {
      const value = given[name] ?? input.default;
      if (value === undefined) throw new Error(`the input ${name} is required`);
      return [name, value];
    }),
  );
  const inherited = filled(step.env, outside);
  // By run: decided when its turn comes, whatever fails inside.
  const decided = new Map<string, boolean>();
  const entered = (state: JobState): boolean => {
    const enters = decided.get(state.temp) ?? starts(step, state, outside);
    decided.set(state.temp, enters);
    return enters;
  };
  return action.runs.steps.map((inner) => {
    const names = (state: JobState): Names => namesInAction(inputs, place, outside, state);
    const uploads = inner.uses?.startsWith('actions/upload-artifact@') === true;
    if (!uploads && (inner.run === undefined || inner.shell !== 'bash'))
      throw new Error(`a step of the action that cannot be run here: ${inner.name}`);
    return {
      name: inner.name ?? '',
      ...(inner.id !== undefined && { id: `${place}/${inner.id}` }),
      script: inner.run ?? '',
      ...(uploads && {
        keep: (state: JobState) => {
          const { name = '', path = '' } = filled(inner.with as Texts, names(state));
          return { name, path };
        },
      }),
      starts: (state) => entered(state) && starts(inner, state, names(state)),
      env: (state) => ({ ...inherited, GITHUB_ACTION_PATH: root, ...filled(inner.env, names(state)) }),
      pipefail: true,
    };
  });
}

function readSteps(step: StepText, place: string, names: Names): readonly JobStep[] {
  if (step.uses?.startsWith('OWNER/tether@') === true) return stepsOfAction(step, place, names);
  if (step.uses !== undefined && !/^actions\/(?:checkout|setup-node)@/u.test(step.uses))
    throw new Error(`an action this reader does not know: ${step.uses}`);
  if (step.run === undefined) return [];
  return [
    {
      name: step.name ?? step.run,
      script: step.run,
      starts: (state) => starts(step, state, names),
      env: () => filled(step.env, names),
      pipefail: step.shell === 'bash',
    },
  ];
}

/** The jobs that this trigger starts. */
export function readGithubWorkflow(text: string, trigger: Trigger): readonly Job[] {
  const workflow = parse(text) as Workflow;
  if (!(trigger.event in workflow.on)) return [];
  const names = namesOf(trigger);
  return Object.entries(workflow.jobs)
    .filter(([, job]) => holds(job.if, names))
    .map(([name, job]) => {
      const checkout = job.steps.find((step) => step.uses?.startsWith('actions/checkout@'));
      return {
        name,
        event: trigger.event,
        env: { GITHUB_ACTIONS: 'true', ...filled(workflow.env, names), ...filled(job.env, names) },
        permissions: job.permissions ?? workflow.permissions ?? {},
        checksOutBranch: fill(String(checkout?.with?.ref ?? ''), names) === 'main',
        steps: job.steps.flatMap((step, index) => readSteps(step, String(index), names)),
        group: job.concurrency?.['cancel-in-progress'] === false ? job.concurrency.group : null,
      };
    });
}
