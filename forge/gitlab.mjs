/** GitLab: notes of a merge request, issues, and the digest as an artifact of the plan's job, by a project access token. */
import { requester, timeoutOf } from './http.mjs';

/** `env` is that of a job, with TETHER_FORGE_TOKEN. */
export function gitlab(env) {
  const { CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, TETHER_FORGE_TOKEN } = env;
  const project = `/projects/${CI_PROJECT_ID}`;
  const headers = { accept: 'application/json', 'private-token': TETHER_FORGE_TOKEN ?? '' };
  const send = requester('GitLab', CI_API_V4_URL, headers, timeoutOf(env));
  const request = (...call) => {
    if (!TETHER_FORGE_TOKEN) throw new Error('TETHER_FORGE_TOKEN is not set');
    return send(...call);
  };
  const list = async (path) => (await request('GET', path)).json();
  let us;
  const readUs = async () => {
    us ??= (await list('/user')).id;
    return us;
  };

  const notesPath = `${project}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
  const comments = {
    list: async (page, perPage) => {
      const id = await readUs();
      const notes = await list(`${notesPath}?sort=asc&order_by=created_at&per_page=${perPage}&page=${page}`);
      return notes.map((one) => ({
        id: one.id,
        body: one.body,
        isOurs: !one.system && one.author.id === id,
      }));
    },
    create: (_title, body) => request('POST', notesPath, { body }),
    update: (id, body) => request('PUT', `${notesPath}/${id}`, { body }),
  };

  const issues = {
    list: async (page, perPage) => {
      const id = await readUs();
      const path = `${project}/issues?state=opened&scope=all&author_id=${id}&per_page=${perPage}&page=${page}`;
      return (await list(path)).map((one) => ({
        id: one.iid,
        body: one.description,
        isOurs: one.author.id === id,
      }));
    },
    create: (title, description) => request('POST', `${project}/issues`, { title, description }),
    update: (id, description) => request('PUT', `${project}/issues/${id}`, { description }),
    close: (id, description) =>
      request('PUT', `${project}/issues/${id}`, { description, state_event: 'close' }),
  };

  return {
    runUrl: env.CI_JOB_URL,
    longest: 1_000_000,
    comments: CI_MERGE_REQUEST_IID === undefined ? null : comments,
    issues,

    /** Nothing to do: the file `digest` is among the artifacts of the job. */
    record: async () => {},

    /** Of the merge request that made this commit, the artifact of its newest pipeline's job. */
    async reviewed() {
      const { CI_COMMIT_SHA: sha, CI_COMMIT_BRANCH: branch } = env;
      const merged = (await list(`${project}/repository/commits/${sha}/merge_requests`)).find(
        (one) =>
          one.state === 'merged' &&
          one.target_branch === branch &&
          [one.merge_commit_sha, one.squash_commit_sha, one.sha].includes(sha),
      );
      if (merged === undefined) throw new Error(`no merged merge request made commit ${sha} of ${branch}`);
      const source = `merge request !${merged.iid}`;
      const [pipeline] = (await list(`${project}/merge_requests/${merged.iid}/pipelines`)).filter(
        (one) => one.source === 'merge_request_event' && String(one.project_id) === CI_PROJECT_ID,
      );
      if (pipeline === undefined) throw new Error(`${source} had no pipeline in this project`);
      const jobs = await list(`${project}/pipelines/${pipeline.id}/jobs?scope[]=success&per_page=100`);
      const job = jobs.find((one) => one.name === `tether plan ${env.TETHER_FOLDER}`);
      if (job === undefined) throw new Error(`the last plan of ${source} was not complete`);
      const { text } = await request('GET', `${project}/jobs/${job.id}/artifacts/tether-report/digest`);
      return { source, digest: text.trim() };
    },

    print: (level, text) => process.stderr.write(`${level[0].toUpperCase()}${level.slice(1)}: ${text}\n`),
    output: (_name, value) => process.stdout.write(`${value}\n`),
  };
}
