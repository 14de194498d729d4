/** Reads the part of a GitLab pipeline that our example and our component use; anything else is an error. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { Job, JobStep, Trigger } from './pipeline-job';

type Texts = Readonly<Record<string, string>>;

interface JobText {
  readonly extends?: string;
  readonly stage?: string;
  readonly rules?: readonly { readonly if: string; readonly variables?: Texts }[];
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly resource_group?: string;
  readonly variables?: Texts;
  readonly artifacts?: { readonly when: string; readonly paths: readonly string[] };
}
type Jobs = Readonly<Record<string, JobText>>;

interface Spec {
  readonly spec: { readonly inputs: Readonly<Record<string, { readonly default?: string }>> };
}

const componentFile = resolve(__dirname, '../../../templates/tether.yml');

const sources = {
  pull_request: 'merge_request_event',
  push: 'push',
  schedule: 'schedule',
  workflow_dispatch: 'web',
} as const;

/** The variables that GitLab itself sets. */
function predefined(trigger: Trigger): Record<string, string> {
  const isReview = trigger.event === 'pull_request';
  return {
    GITLAB_CI: 'true',
    CI_PIPELINE_SOURCE: sources[trigger.event],
    CI_PROJECT_ID: '1',
    CI_DEFAULT_BRANCH: 'main',
    ...(isReview
      ? { CI_MERGE_REQUEST_IID: '7', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '1' }
      : { CI_COMMIT_BRANCH: 'main' }),
  };
}

/** Terms joined by `&&`: `$A`, `$A == $B`, `$A == "text"`. */
function holds(condition: string, variables: Texts): boolean {
  return condition.split('&&').every((term) => {
    const [, left = '', right] = /^\$(\w+)(?: == (\$\w+|"[^"]*"))?$/u.exec(term.trim()) ?? [];
    if (left === '') throw new Error(`unknown condition: ${condition}`);
    const value = variables[left] ?? '';
    if (right === undefined) return value !== '';
    return value === (right.startsWith('$') ? (variables[right.slice(1)] ?? '') : right.slice(1, -1));
  });
}

/** The jobs of the component with these inputs. */
function readComponent(given: Texts): Jobs {
  const [head, body] = readFileSync(componentFile, 'utf8').split(/^---$/mu);
  const { inputs } = (parse(head ?? '') as Spec).spec;
  for (const name of Object.keys(given)) if (!(name in inputs)) throw new Error(`no input ${name}`);
  const text = (body ?? '').replace(/\$\[\[ inputs\.([\w-]+) \]\]/gu, (_, name: string) => {
    const value = given[name] ?? inputs[name]?.default;
    if (value === undefined) throw new Error(`the input ${name} is required`);
    return value;
  });
  return parse(text) as Jobs;
}

/** The job with what it extends; a hash is merged, a list replaced, as there. */
function whole(jobs: Jobs, job: JobText): JobText {
  if (job.extends === undefined) return job;
  const base = jobs[job.extends];
  if (base === undefined) throw new Error(`no job ${job.extends}`);
  return { ...whole(jobs, base), ...job, variables: { ...whole(jobs, base).variables, ...job.variables } };
}

/** The jobs that this trigger starts. */
export function readGitlabPipeline(text: string, trigger: Trigger): readonly Job[] {
  const { include } = parse(text) as { include: readonly { component: string; inputs: Texts }[] };
  const jobs = Object.assign({}, ...include.map(({ inputs }) => readComponent(inputs))) as Jobs;
  const digest = trigger.digest === undefined ? {} : { DIGEST: trigger.digest };
  return Object.entries(jobs).flatMap(([name, given]): readonly Job[] => {
    if (name.startsWith('.')) return [];
    const job = whole(jobs, given);
    const env: Texts = {
      ...predefined(trigger),
      ...job.variables,
      ...trigger.variables,
      ...digest,
      CI_JOB_NAME: name,
    };
    const rule = job.rules?.find((one) => holds(one.if, env));
    if (rule === undefined) return [];
    const ruled = Object.entries(rule.variables ?? {}).map(([key, value]) => {
      return [key, value.replace(/\$(\w+)/gu, (_, other: string) => env[other] ?? '')];
    });
    const always: Pick<JobStep, 'env' | 'pipefail'> = { env: () => ({}), pipefail: true };
    const script = [...(job.before_script ?? []), ...(job.script ?? [])].join('\n');
    const paths = job.artifacts?.when === 'always' ? job.artifacts.paths : [];
    const keeps = paths.map((path): JobStep => {
      return {
        ...always,
        name: 'artifacts',
        script: '',
        starts: () => true,
        keep: () => ({ name: path, path }),
      };
    });
    return [
      {
        name,
        event: trigger.event,
        env: { ...env, ...(Object.fromEntries(ruled) as Texts) },
        permissions: {},
        checksOutBranch: script.includes('git checkout'),
        steps: [{ ...always, name: 'script', script, starts: ({ ok }) => ok }, ...keeps],
        group: job.resource_group ?? null,
      },
    ];
  });
}
