/** The part of GitLab's REST API that our component may use. */
import type { IncomingHttpHeaders } from 'node:http';
import { type ForgeAnswer, ForgeServer, type Note, pageOf, type Route, stringsOnly } from './forge-server';
import { startingCommit } from './github-workflow';

export const projectToken = 'glpat-project-token';
/** The user that a project access token brings along. */
export const gitlabBot = 'project_1_bot_tether';
const ids = new Map([[gitlabBot, 41]]);
const idOf = (author: string): number => ids.get(author) ?? 1000 + author.length;

interface PlanJob {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly digest: string;
}

export class GitlabForge extends ForgeServer {
  protected readonly base = '/api/v4';
  /** Of the newest pipeline of the merge request. */
  readonly jobs: PlanJob[] = [];
  pipelines: readonly object[] = [
    { id: 31, project_id: 2, source: 'merge_request_event' },
    { id: 30, project_id: 1, source: 'push' },
    { id: 29, project_id: 1, source: 'merge_request_event' },
  ];
  requestsOfCommit: readonly object[] = [
    {
      iid: 7,
      state: 'merged',
      target_branch: 'main',
      merge_commit_sha: startingCommit,
      squash_commit_sha: null,
    },
  ];

  static async start(): Promise<GitlabForge> {
    const forge = new GitlabForge();
    await forge.listen();
    return forge;
  }

  protected refusalOf(headers: IncomingHttpHeaders): ForgeAnswer | undefined {
    if (headers['private-token'] === projectToken) return undefined;
    return { status: 401, body: { message: '401 Unauthorized' } };
  }

  readonly #note = ({ id, body, author }: Note) => ({
    id,
    body,
    system: false,
    author: { id: idOf(author) },
  });
  readonly #issue = ({ id, title, body, author }: Note) => ({
    iid: id,
    title,
    description: body,
    author: { id: idOf(author) },
  });

  protected readonly routes: readonly Route[] = [
    { method: 'GET', path: /^\/user$/u, answer: () => ({ status: 200, body: { id: idOf(gitlabBot) } }) },
    {
      method: 'GET',
      path: /^\/projects\/1\/merge_requests\/7\/notes$/u,
      query: ['sort', 'order_by', 'per_page', 'page'],
      answer: ({ query }) => ({ status: 200, body: pageOf(this.comments, query).map(this.#note) }),
    },
    {
      method: 'POST',
      path: /^\/projects\/1\/merge_requests\/7\/notes$/u,
      body: stringsOnly(['body']),
      answer: ({ body: { body = '' } }) => {
        this.comments.push(this.note(gitlabBot, body));
        return { status: 201, body: {} };
      },
    },
    {
      method: 'PUT',
      path: /^\/projects\/1\/merge_requests\/7\/notes\/(\d+)$/u,
      body: stringsOnly(['body']),
      answer: ({ groups: [id], body: { body = '' } }) => {
        const one = this.comments.find((note) => String(note.id) === id);
        // A note of somebody else may not be edited, whatever the role.
        if (one?.author !== gitlabBot) return { status: 403, body: { message: '403 Forbidden' } };
        one.body = body;
        return { status: 200, body: {} };
      },
    },
    {
      method: 'GET',
      path: /^\/projects\/1\/issues$/u,
      query: ['state', 'scope', 'author_id', 'per_page', 'page'],
      answer: ({ query }) => {
        const found = this.issues.filter(
          ({ open, author }) =>
            open && query.get('state') === 'opened' && String(idOf(author)) === query.get('author_id'),
        );
        return { status: 200, body: pageOf(found, query).map(this.#issue) };
      },
    },
    {
      method: 'POST',
      path: /^\/projects\/1\/issues$/u,
      body: stringsOnly(['title', 'description']),
      answer: ({ body: { title = '', description = '' } }) => {
        this.issues.push(this.note(gitlabBot, description, title));
        return { status: 201, body: {} };
      },
    },
    {
      method: 'PUT',
      path: /^\/projects\/1\/issues\/(\d+)$/u,
      body: stringsOnly(['description'], ['state_event']),
      answer: ({ groups: [id], body: { description = '', state_event: event } }) => {
        const one = this.issues.find((issue) => String(issue.id) === id);
        if (one === undefined) return { status: 404, body: { message: '404 Not found' } };
        one.body = description;
        if (event === 'close') one.open = false;
        return { status: 200, body: {} };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`^/projects/1/repository/commits/${startingCommit}/merge_requests$`, 'u'),
      answer: () => ({ status: 200, body: this.requestsOfCommit }),
    },
    {
      method: 'GET',
      path: /^\/projects\/1\/merge_requests\/7\/pipelines$/u,
      answer: () => ({ status: 200, body: this.pipelines }),
    },
    {
      method: 'GET',
      path: /^\/projects\/1\/pipelines\/29\/jobs$/u,
      query: ['scope[]', 'per_page'],
      answer: ({ query }) => ({
        status: 200,
        body: this.jobs.filter(({ status }) => status === query.get('scope[]')),
      }),
    },
    {
      method: 'GET',
      path: /^\/projects\/1\/jobs\/(\d+)\/artifacts\/tether-report\/digest$/u,
      answer: ({ groups: [id] }) => {
        const job = this.jobs.find((one) => String(one.id) === id);
        return job === undefined
          ? { status: 404, body: { error: '404 Not Found' } }
          : { status: 200, body: job.digest };
      },
    },
  ];
}
