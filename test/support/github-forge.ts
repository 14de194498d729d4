/** The part of GitHub's REST API that our action may use, with the permissions of the job's token. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  type ForgeAnswer,
  ForgeServer,
  type Needs,
  type Note,
  pageOf,
  type Route,
  stringsOnly,
} from './forge-server';
import { jobToken, startingCommit } from './github-workflow';

/** Who writes with the token of a job. */
export const githubBot = 'github-actions[bot]';
export const repository = 'acme/infra';
const under = `^/repos/${repository}`;

interface Status {
  readonly sha: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly author: string;
}

const commentLevels = (level: 'read' | 'write'): Needs => [
  ['issues', level],
  ['pull-requests', level],
];
const user = (author: string) => ({ login: author, type: author.endsWith('[bot]') ? 'Bot' : 'User' });
const tooLong = { status: 422, body: { message: 'Validation Failed', errors: ['body is too long'] } };

export class GithubForge extends ForgeServer {
  protected readonly base = '';
  /** The newest first. */
  readonly statuses: Status[] = [];
  /** The pull request of the tests. */
  readonly pull = { number: 7, head: { sha: 'a'.repeat(40) }, base: { ref: 'main' } };
  /** Those that a commit belongs to. */
  pullsOfCommit: readonly object[] = [
    { ...this.pull, merged_at: '2026-11-22', merge_commit_sha: startingCommit },
  ];

  static async start(): Promise<GithubForge> {
    const forge = new GithubForge();
    await forge.listen();
    return forge;
  }

  protected refusalOf(headers: IncomingHttpHeaders): ForgeAnswer | undefined {
    if (headers.authorization !== `Bearer ${jobToken}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    const { accept, 'user-agent': agent, 'x-github-api-version': version } = headers;
    if (accept === 'application/vnd.github+json' && agent && version === '2022-11-28') return undefined;
    this.mistakes.push('headers that GitHub asks for are missing');
    return { status: 400 };
  }

  readonly #comment = ({ id, body, author }: Note) => ({ id, body, user: user(author) });
  readonly #issue = ({ id, title, body, author, open }: Note) => ({
    number: id,
    title,
    body,
    state: open ? 'open' : 'closed',
    user: user(author),
  });

  protected readonly routes: readonly Route[] = [
    {
      method: 'GET',
      path: new RegExp(`${under}/issues/7/comments$`, 'u'),
      query: ['per_page', 'page'],
      needs: commentLevels('read'),
      answer: ({ query }) => ({ status: 200, body: pageOf(this.comments, query).map(this.#comment) }),
    },
    {
      method: 'POST',
      path: new RegExp(`${under}/issues/7/comments$`, 'u'),
      body: stringsOnly(['body']),
      needs: commentLevels('write'),
      answer: ({ body: { body = '' } }) => {
        if (body.length > 65_536) return tooLong;
        this.comments.push(this.note(githubBot, body));
        return { status: 201, body: {} };
      },
    },
    {
      method: 'PATCH',
      path: new RegExp(`${under}/issues/comments/(\\d+)$`, 'u'),
      body: stringsOnly(['body']),
      needs: commentLevels('write'),
      answer: ({ groups: [id], body: { body = '' } }) => {
        const one = this.comments.find((comment) => String(comment.id) === id);
        if (one === undefined) return { status: 404, body: { message: 'Not Found' } };
        if (body.length > 65_536) return tooLong;
        one.body = body;
        return { status: 200, body: {} };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`${under}/issues$`, 'u'),
      query: ['state', 'creator', 'per_page', 'page'],
      needs: [['issues', 'read']],
      answer: ({ query }) => {
        const found = this.issues.filter(
          ({ open, author }) => open && query.get('state') === 'open' && author === query.get('creator'),
        );
        return { status: 200, body: pageOf(found, query).map(this.#issue) };
      },
    },
    {
      method: 'POST',
      path: new RegExp(`${under}/issues$`, 'u'),
      body: stringsOnly(['title', 'body']),
      needs: [['issues', 'write']],
      answer: ({ body: { title = '', body = '' } }) => {
        if (body.length > 65_536) return tooLong;
        this.issues.push(this.note(githubBot, body, title));
        return { status: 201, body: {} };
      },
    },
    {
      method: 'PATCH',
      path: new RegExp(`${under}/issues/(\\d+)$`, 'u'),
      body: stringsOnly([], ['body', 'state', 'state_reason']),
      needs: [['issues', 'write']],
      answer: ({ groups: [id], body: { body, state } }) => {
        const one = this.issues.find((issue) => String(issue.id) === id);
        if (one === undefined) return { status: 404, body: { message: 'Not Found' } };
        if (body !== undefined) one.body = body;
        if (state === 'closed') one.open = false;
        return { status: 200, body: {} };
      },
    },
    {
      method: 'POST',
      path: new RegExp(`${under}/statuses/([0-9a-f]{40})$`, 'u'),
      body: {
        ...stringsOnly(['context', 'state', 'description', 'target_url']),
        properties: {
          context: { type: 'string', minLength: 1 },
          state: { enum: ['success', 'failure'] },
          description: { type: 'string', maxLength: 140 },
          target_url: { type: 'string', pattern: '^https://' },
        },
      },
      needs: [['statuses', 'write']],
      answer: ({ groups: [sha = ''], body: { context = '', state = '', description = '' } }) => {
        this.statuses.unshift({ sha, context, state, description, author: githubBot });
        return { status: 201, body: {} };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`${under}/commits/([0-9a-f]{40})/statuses$`, 'u'),
      query: ['per_page', 'page'],
      needs: [['statuses', 'read']],
      answer: ({ groups: [sha], query }) => {
        const found = this.statuses.filter((one) => one.sha === sha);
        const shown = pageOf(found, query).map(({ author, ...one }) => ({ ...one, creator: user(author) }));
        return { status: 200, body: shown };
      },
    },
    {
      method: 'GET',
      path: new RegExp(`${under}/commits/${startingCommit}/pulls$`, 'u'),
      query: ['per_page'],
      needs: [['pull-requests', 'read']],
      answer: () => ({ status: 200, body: this.pullsOfCommit }),
    },
  ];
}
