/** A stand-in for a forge over a socket: it answers the requests it knows, and refuses every other as a mistake of ours. */
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import Ajv, { type SchemaObject } from 'ajv';

/** A comment or an issue, by whoever wrote it. */
export interface Note {
  readonly id: number;
  readonly author: string;
  title?: string;
  body: string;
  open: boolean;
}

export interface ForgeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

export interface ForgeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Any of them. */
export type Needs = readonly (readonly [scope: string, level: 'read' | 'write'])[];

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Its groups are handed to `answer`. */
  readonly path: RegExp;
  /** Names of the query, all of them needed. */
  readonly query?: readonly string[];
  readonly body?: SchemaObject;
  /** Without it the token alone will do. */
  readonly needs?: Needs;
  answer(found: {
    readonly groups: readonly string[];
    readonly query: URLSearchParams;
    readonly body: Readonly<Record<string, string>>;
  }): ForgeAnswer;
}

/** A page of a list, as the query wants it. */
export function pageOf<Item>(items: readonly Item[], query: URLSearchParams): readonly Item[] {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
  return items.slice((page - 1) * size, page * size);
}

export const stringsOnly = (required: readonly string[], optional: readonly string[] = []): SchemaObject => ({
  type: 'object',
  additionalProperties: false,
  required: [...required],
  properties: Object.fromEntries(
    [...required, ...optional].map((name) => [name, { type: 'string', minLength: 1 }]),
  ),
});

export abstract class ForgeServer {
  readonly #server = http.createServer((request, response) => {
    this.#receive(request, response).catch(() => response.destroy());
  });
  readonly #ajv = new Ajv({ allErrors: true });
  readonly requests: ForgeRequest[] = [];
  /** What our code got wrong: no test may leave one. */
  readonly mistakes: string[] = [];
  readonly comments: Note[] = [];
  readonly issues: Note[] = [];
  /** What the job's token may do. */
  permissions: Readonly<Record<string, string>> = {};
  /** Answers in place of the forge; `silent` never answers. */
  fault: (request: ForgeRequest) => ForgeAnswer | 'silent' | undefined = () => undefined;
  #lastId = 0;

  protected abstract readonly routes: readonly Route[];
  /** Under which its API lies. */
  protected abstract readonly base: string;
  /** Why the headers are refused. */
  protected abstract refusalOf(headers: http.IncomingHttpHeaders): ForgeAnswer | undefined;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.base}`;
  }

  note(author: string, body: string, title?: string): Note {
    this.#lastId += 1;
    return { id: this.#lastId, author, body, open: true, ...(title !== undefined && { title }) };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const { method = '', headers } = request;
    const text = Buffer.concat(chunks).toString();
    const received = { method, path: pathname.slice(this.base.length), query: searchParams, headers, text };
    this.requests.push(received);
    const answer = this.fault(received) ?? this.#answer(received);
    if (answer === 'silent') return;
    const body =
      answer.body === undefined || typeof answer.body === 'string'
        ? answer.body
        : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(body);
  }

  #answer({ method, path, query, headers, text }: ForgeRequest): ForgeAnswer {
    const mistake = (what: string, status: number): ForgeAnswer => {
      this.mistakes.push(`${method} ${path}: ${what}`);
      return { status, body: { message: what } };
    };
    const refusal = this.refusalOf(headers);
    if (refusal !== undefined) return refusal;
    const route = this.routes.find((one) => one.method === method && one.path.test(path));
    if (route === undefined) return mistake('no such request', 404);
    const [, ...groups] = route.path.exec(path) ?? [];
    const [given, wanted] = [[...query.keys()].sort().join(), [...(route.query ?? [])].sort().join()];
    if (given !== wanted) return mistake(`query ${given}, not ${wanted}`, 400);
    if (route.needs !== undefined && !this.#mayDo(route.needs))
      return { status: 403, body: { message: 'Resource not accessible by integration' } };
    if (route.body === undefined)
      return text === '' ? route.answer({ groups, query, body: {} }) : mistake('a body', 400);
    if (headers['content-type'] !== 'application/json') return mistake('no JSON', 415);
    const body = JSON.parse(text) as Readonly<Record<string, string>>;
    const validate = this.#ajv.compile(route.body);
    if (!validate(body)) return mistake(this.#ajv.errorsText(validate.errors), 422);
    return route.answer({ groups, query, body });
  }

  #mayDo(needs: Needs): boolean {
    return needs.some(([scope, level]) => {
      const granted = this.permissions[scope];
      return granted === 'write' || granted === level;
    });
  }
}
