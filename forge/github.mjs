/** GitHub: comments of a pull request, issues, and the digest as a commit status, all by the token of the job. */
import { appendFileSync, readFileSync } from 'node:fs';
import { requester, timeoutOf } from './http.mjs';

/** Who writes with a job's token. No person can have this name: brackets are not allowed in one. */
const us = 'github-actions[bot]';

/** In the values of a workflow command. */
const escaped = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** `env` is that of a step, with TETHER_FORGE_TOKEN. */
export function github(env, folder) {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_RUN_ID } = env;
  const { pull_request: pull } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'));
  const repository = `/repos/${GITHUB_REPOSITORY}`;
  const runUrl = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
  const context = `tether plan ${folder}`;
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${env.TETHER_FORGE_TOKEN}`,
    'user-agent': 'tether',
    'x-github-api-version': '2022-11-28',
  };
  const request = requester('GitHub', GITHUB_API_URL, headers, timeoutOf(env));
  const list = async (path) => (await request('GET', path)).json();
  const isOurs = ({ user }) => user?.login === us;

  const comments = {
    list: async (page, perPage) => {
      const path = `${repository}/issues/${pull.number}/comments?per_page=${perPage}&page=${page}`;
      return (await list(path)).map((one) => ({ id: one.id, body: one.body, isOurs: isOurs(one) }));
    },
    create: (_title, body) => request('POST', `${repository}/issues/${pull.number}/comments`, { body }),
    update: (id, body) => request('PATCH', `${repository}/issues/comments/${id}`, { body }),
  };

  const issues = {
    list: async (page, perPage) => {
      const path = `${repository}/issues?state=open&creator=${encodeURIComponent(us)}&per_page=${perPage}&page=${page}`;
      return (await list(path)).map((one) => ({
        id: one.number,
        body: one.body,
        isOurs: isOurs(one) && one.pull_request === undefined,
      }));
    },
    create: (title, body) => request('POST', `${repository}/issues`, { title, body }),
    update: (id, body) => request('PATCH', `${repository}/issues/${id}`, { body }),
    close: (id, body) =>
      request('PATCH', `${repository}/issues/${id}`, { body, state: 'closed', state_reason: 'completed' }),
  };

  return {
    runUrl,
    longest: 65_536,
    comments: pull === undefined ? null : comments,
    issues,

    /** As a status of the pull request's newest commit, beside its checks. */
    record: (digest) =>
      request('POST', `${repository}/statuses/${pull.head.sha}`, {
        context,
        state: digest === undefined ? 'failure' : 'success',
        description: digest === undefined ? 'No complete plan' : `Digest ${digest}`,
        target_url: runUrl,
      }),

    /** Of the pull request that made this commit of the branch, the newest status that a workflow wrote. */
    async reviewed() {
      const { GITHUB_SHA: sha, GITHUB_REF_NAME: branch } = env;
      const merged = (await list(`${repository}/commits/${sha}/pulls?per_page=100`)).find(
        (one) => one.merged_at !== null && one.merge_commit_sha === sha && one.base.ref === branch,
      );
      if (merged === undefined) throw new Error(`no merged pull request made commit ${sha} of ${branch}`);
      const source = `pull request #${merged.number}`;
      for (let page = 1; page <= 10; page += 1) {
        const statuses = await list(
          `${repository}/commits/${merged.head.sha}/statuses?per_page=100&page=${page}`,
        );
        const status = statuses.find((one) => one.context === context && one.creator?.login === us);
        if (status?.state === 'success') {
          return { source, digest: /^Digest (\S+)$/u.exec(status.description)?.[1] ?? '' };
        }
        if (status !== undefined) throw new Error(`the last plan of ${source} was not complete`);
        if (statuses.length < 100) break;
      }
      throw new Error(`no plan of ${folder} was recorded for ${source}`);
    },

    /** In the log, and at the top of the run's page. */
    print: (level, text) => process.stdout.write(`::${level} title=Tether::${escaped(text)}\n`),
    output: (name, value) => appendFileSync(env.GITHUB_OUTPUT, `${name}=${value}\n`),
  };
}
