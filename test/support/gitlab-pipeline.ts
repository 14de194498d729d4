/** Reads the part of a GitLab pipeline that our example uses; anything else is an error. */
import { parse } from 'yaml';
import type { Job, JobStep, Trigger } from './pipeline-job';

interface JobText {
  readonly stage: string;
  readonly rules: readonly { readonly if: string }[];
  readonly script: readonly string[];
  readonly after_script?: readonly string[];
  readonly resource_group?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly artifacts?: { readonly when: string; readonly paths: readonly string[] };
}

const sources = {
  pull_request: 'merge_request_event',
  push: 'push',
  schedule: 'schedule',
  workflow_dispatch: 'web',
} as const;

/** The variables that GitLab itself sets. */
function predefined(trigger: Trigger): Record<string, string> {
  return {
    CI_PIPELINE_SOURCE: sources[trigger.event],
    CI_DEFAULT_BRANCH: 'main',
    CI_COMMIT_BRANCH: trigger.event === 'pull_request' ? '' : 'main',
  };
}

/** Terms joined by `&&`: `$A`, `$A == $B`, `$A == "text"`. */
function holds(condition: string, variables: Readonly<Record<string, string>>): boolean {
  return condition.split('&&').every((term) => {
    const [, left = '', right] = /^\$(\w+)(?: == (\$\w+|"[^"]*"))?$/u.exec(term.trim()) ?? [];
    if (left === '') throw new Error(`unknown condition: ${condition}`);
    const value = variables[left] ?? '';
    if (right === undefined) return value !== '';
    return value === (right.startsWith('$') ? (variables[right.slice(1)] ?? '') : right.slice(1, -1));
  });
}

/** The jobs that this trigger starts, in the order of their stages. */
export function readGitlabPipeline(text: string, trigger: Trigger): readonly Job[] {
  const {
    stages,
    default: defaults,
    variables,
    ...jobs
  } = parse(text) as {
    stages: readonly string[];
    default: { before_script: readonly string[] };
    variables: Readonly<Record<string, string>>;
  } & Readonly<Record<string, JobText>>;
  const { digest } = trigger;
  const typed = digest === undefined ? {} : { DIGEST: digest };
  const env = { ...variables, ...predefined(trigger), ...trigger.variables, ...typed };
  return Object.entries(jobs)
    .filter(([, job]) => job.rules.some((rule) => holds(rule.if, env)))
    .sort(([, a], [, b]) => stages.indexOf(a.stage) - stages.indexOf(b.stage))
    .map(([name, job]) => {
      const step = (title: string, lines: readonly string[], always: boolean): JobStep => ({
        name: title,
        script: lines.join('\n'),
        env: {},
        always,
        pipefail: true,
      });
      const after = job.after_script === undefined ? [] : [step('after_script', job.after_script, true)];
      return {
        name,
        env: { ...env, ...job.variables },
        checksOutBranch: job.script.some((line) => line.includes('git checkout')),
        steps: [step('script', [...defaults.before_script, ...job.script], false), ...after],
        keeps: job.artifacts?.when === 'always' ? job.artifacts.paths : [],
        group: job.resource_group ?? null,
      };
    });
}
