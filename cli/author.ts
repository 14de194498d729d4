/** Names who runs a command: a user, or the job of a CI server. */
import { hostname, userInfo } from 'node:os';
import { oneLine } from '../client/text';
import type { Author } from '../reconciler/ledger/ledger';
import { unlessItFails } from '../resources/plain-file';
import type { Call } from './call';

/** Returns the user, the host and the command, as the holder of a lock. */
export function whoRuns({ command }: Call): string {
  return `${nameUser()}, tether ${command}`;
}

function nameUser(): string {
  // A container may run with a user id that has no name.
  const user = unlessItFails(() => userInfo().username) ?? `uid-${process.getuid?.()}`;
  return `${user}@${hostname()}`;
}

/** The variables are those of GitHub, GitLab, Jenkins, Buildkite, CircleCI, Azure and Bitbucket, in this order. */
const revisions = [
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'GIT_COMMIT',
  'BUILDKITE_COMMIT',
  'CIRCLE_SHA1',
  'BUILD_SOURCEVERSION',
  'BITBUCKET_COMMIT',
];
const jobs = ['CI_JOB_URL', 'BUILD_URL', 'BUILDKITE_BUILD_URL', 'CIRCLE_BUILD_URL'];

/** The revision comes from variables alone. Git could run a program that a pull request names. */
export function findAuthor(call: Call): Author {
  const first = (names: readonly string[]) => names.map((name) => call.variable(name)).find(Boolean);
  const clean = (text: string) => oneLine(call.redact(text), 200);
  const [server, repository, run] = ['GITHUB_SERVER_URL', 'GITHUB_REPOSITORY', 'GITHUB_RUN_ID'].map((name) =>
    call.variable(name),
  );
  const isGithub = server && repository && run;
  const githubJob = isGithub ? `${server}/${repository}/actions/runs/${run}` : undefined;
  const revision = first(revisions);
  return {
    by: clean(githubJob ?? first(jobs) ?? nameUser()),
    ...(revision !== undefined && { revision: clean(revision) }),
  };
}
