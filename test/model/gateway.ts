/**
 * A gateway between the tool and the service. It records every request, sets its token, and breaks some. `round.ts` hands what was sent to
 * `truth.ts` and `check-order.ts`, and `trouble.ts` reads it itself.
 */
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { unhandled } from './broken';
import { type Rights, tokenOf } from './organization';
import type { HidableField } from './reality';

/** A request on its way to the service. */
export interface Passing {
  /** The number since the last clearing, from 1. `nthWrite` counts only writes. */
  readonly nth: number;
  readonly nthWrite: number;
  readonly method: string;
  /** Below `/api/v2`, without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: unknown;
}

/**
 * A request that arrived, and how it ended. Each attempt of the tool is one, and the service executes each at most once: `checkOnePost` in
 * `truth.ts` counts them, whatever the treatment.
 */
export interface Sent extends Passing {
  /** The service's own status. It is null if the service never got the request. */
  status: number | null;
  /** The treatment. It is absent for a request that simply passed. */
  treated?: string;
  /** The status of the treatment `answer`, which the service never saw. */
  answered?: number;
  /** The service's own answer. */
  answer?: unknown;
}

/** The treatment of a request. */
export type Treatment =
  /** The request passes unchanged. */
  | { readonly do: 'pass' }
  /** The connection is reset, and the request is not executed. */
  | { readonly do: 'reset' }
  /** The request is executed, and the connection is reset before the answer. */
  | { readonly do: 'lose'; readonly afterwards?: () => void }
  /** The connection is reset, and `release` executes the request later. */
  | { readonly do: 'delay' }
  /** The request is not executed, and has this answer. */
  | {
      readonly do: 'answer';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    }
  /** The request is executed, and has this answer. */
  | { readonly do: 'claim'; readonly status: number; readonly body?: unknown }
  /** The request is executed, and half of the answer arrives. */
  | { readonly do: 'cut' }
  /** The request is executed, and the answer is 200 without JSON. */
  | { readonly do: 'garble' };

export type Interference = (passing: Passing) => Treatment | Promise<Treatment>;

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The text of an error as the service writes it. */
export function errorBody(status: number, title = 'not found'): unknown {
  return { errors: [{ status: String(status), title }] };
}

/** Removes fields from all clients of an answer. */
function withoutFields(bytes: Buffer, lacks: ReadonlySet<HidableField>): Buffer {
  const document = JSON.parse(bytes.toString()) as { data?: unknown };
  for (const resource of [document.data].flat()) {
    const { type, attributes, relationships } = (resource ?? {}) as Record<string, Record<string, unknown>>;
    if (String(type) !== 'oauth-clients') continue;
    if (lacks.has('organizationScoped')) delete attributes?.['organization-scoped'];
    if (lacks.has('projects')) delete relationships?.projects;
  }
  return Buffer.from(JSON.stringify(document));
}

/** Listens on the loopback until it is closed. */
export class Gateway {
  rights: Rights = 'owner';
  /** The fields of clients that no answer has, as of an older service. */
  lacks: ReadonlySet<HidableField> = new Set();
  interfere: Interference | undefined;
  /** Sees each request before it goes on. An error that it throws breaks the course. */
  watch: (passing: Passing) => void = () => undefined;
  /** The tokens of killed runs, which send nothing any more. */
  readonly dead = new Set<string>();
  /** The error that the watcher threw. */
  alarm: unknown;
  readonly #sent: Sent[] = [];
  readonly #delayed: (() => Promise<void>)[] = [];
  readonly #inProgress = new Set<Promise<void>>();
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #server: http.Server;
  #writes = 0;

  private constructor(
    private readonly origin: URL,
    private readonly now: () => number,
  ) {
    this.#server = http.createServer((request, response) => {
      // The date is always the service's time.
      response.setHeader('date', new Date(this.now()).toUTCString());
      const taken = this.#take(request, response).catch(() => void response.destroy());
      this.#inProgress.add(taken);
      void taken.then(() => this.#inProgress.delete(taken));
    });
    this.#server.keepAliveTimeout = 1_000;
  }

  /** `now` returns the service's time. */
  static async open(serviceUrl: string, now: () => number): Promise<Gateway> {
    const gateway = new Gateway(new URL(serviceUrl), now);
    await new Promise<void>((listening) => gateway.#server.listen(0, '127.0.0.1', listening));
    return gateway;
  }

  /** The base URL to give to the tool. The service has a second one, as if it had moved. */
  url(path: '' | '/moved' = ''): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}/api/v2`;
  }

  /** Every request since the last clearing, in the order of arrival. */
  get sent(): readonly Sent[] {
    return this.#sent;
  }

  /** The requests that may change something. */
  get writes(): readonly Sent[] {
    return this.#sent.filter(({ method }) => method !== 'GET');
  }

  clear(): void {
    this.#sent.length = 0;
    this.#writes = 0;
    this.interfere = undefined;
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
  }

  /** Executes the delayed requests. */
  async release(): Promise<void> {
    for (const late of this.#delayed.splice(0)) await late();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #take(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (this.dead.has(request.headers.authorization ?? '')) return void request.socket.destroy();
    const method = request.method ?? 'GET';
    if (method !== 'GET') this.#writes += 1;
    // Both addresses are the same service.
    request.url = (request.url ?? '').replace(/^\/moved/u, '');
    const [path = '', query = ''] = request.url.replace(/^\/api\/v2/u, '').split('?');
    const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
    const sent: Sent = {
      nth: this.#sent.length + 1,
      nthWrite: this.#writes,
      method,
      path,
      query,
      body,
      status: null,
    };
    this.#sent.push(sent);
    try {
      this.watch(sent);
    } catch (error) {
      this.alarm ??= error;
    }
    const treatment = (await this.interfere?.(sent)) ?? { do: 'pass' };
    if (treatment.do !== 'pass') sent.treated = treatment.do;
    if (treatment.do === 'answer') sent.answered = treatment.status;
    const forward = async (content: Buffer) => {
      const answer = await this.#forward(request, content);
      sent.status = answer.status;
      if (answer.bytes.length === 0) return answer;
      sent.answer = JSON.parse(answer.bytes.toString());
      return this.lacks.size > 0 ? { ...answer, bytes: withoutFields(answer.bytes, this.lacks) } : answer;
    };
    await this.#treat(treatment, request, response, bytes, forward);
  }

  async #treat(
    treatment: Treatment,
    request: http.IncomingMessage,
    response: http.ServerResponse,
    bytes: Buffer,
    forward: (content: Buffer) => Promise<Answer>,
  ): Promise<void> {
    const reset = () => void request.socket.resetAndDestroy();
    const reply = (status: number, text: string, headers = {}) => {
      const content = Buffer.from(status === 204 ? '' : text);
      const type = { 'content-type': 'application/vnd.api+json', 'content-length': String(content.length) };
      response.writeHead(status, { ...type, ...headers }).end(content);
    };
    switch (treatment.do) {
      case 'reset':
        return reset();
      case 'delay':
        this.#delayed.push(async () => void (await forward(bytes)));
        return reset();
      case 'answer':
        return reply(
          treatment.status,
          JSON.stringify(treatment.body ?? errorBody(treatment.status)),
          treatment.headers,
        );
      case 'lose':
        await forward(bytes);
        treatment.afterwards?.();
        return reset();
      case 'claim':
        await forward(bytes);
        return reply(treatment.status, JSON.stringify(treatment.body ?? errorBody(treatment.status)));
      case 'garble':
        await forward(bytes);
        return reply(200, '<html>\u0000not what was asked for', { 'content-type': 'text/html' });
      case 'cut': {
        const answer = await forward(bytes);
        if (answer.bytes.length === 0) return reset();
        response.writeHead(answer.status, this.#headers(answer));
        response.write(answer.bytes.subarray(0, answer.bytes.length >> 1), reset);
        return;
      }
      case 'pass': {
        const answer = await forward(bytes);
        response.writeHead(answer.status, this.#headers(answer)).end(answer.bytes);
        return;
      }
      default:
        throw unhandled(treatment);
    }
  }

  #headers({ headers, bytes }: Answer): http.OutgoingHttpHeaders {
    const { connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, date: _d, ...kept } = headers;
    return { ...kept, 'content-length': String(bytes.length) };
  }

  #forward(request: http.IncomingMessage, content: Buffer): Promise<Answer> {
    const { connection: _c, 'content-length': _l, 'transfer-encoding': _t, ...kept } = request.headers;
    return new Promise((resolve, reject) => {
      const onward = http.request(
        {
          host: this.origin.hostname,
          port: this.origin.port,
          method: request.method,
          path: request.url,
          agent: this.#agent,
          headers: {
            ...kept,
            authorization: `Bearer ${tokenOf(this.rights)}`,
            ...(content.length > 0 || request.method !== 'GET'
              ? { 'content-length': String(content.length) }
              : {}),
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              bytes: Buffer.concat(chunks),
            }),
          );
        },
      );
      onward.on('error', reject);
      onward.end(content);
    });
  }
}
