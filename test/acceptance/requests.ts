/** The suite's own requests to the service. They share no code with the product's client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mediaType, ServiceResponse } from '../support/api-caller';
import { Refused, type Settings } from './settings';

/** A request without a usable answer. The message names the method and never the token. */
export class Unanswered extends Error {}

export interface Sending {
  readonly body?: unknown;
  /** The default is that of the API. */
  readonly contentType?: string;
  /** False leaves the token out. */
  readonly isAuthorized?: boolean;
}

export interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships: Readonly<Record<string, { readonly data?: unknown } | undefined>>;
}

export interface List {
  readonly status: number;
  readonly resources: readonly Resource[];
  /** The service's time in milliseconds, from the header `Date`. */
  readonly now: number | undefined;
}

/** The token's owner has pipelines of the same token, so the suite asks for less than the service allows. */
const pauseMs = 100;
const timeoutMs = 30_000;
const maxAttempts = 5;

const proxyHint = ' The suite uses HTTPS_PROXY only on Node 24 with NODE_USE_ENV_PROXY=1.';

export class Requests {
  #next = 0;

  /** When the signal aborts, no further request is sent, and no answer to a read is awaited. */
  constructor(
    private readonly settings: Pick<Settings, 'address' | 'token' | 'isLoopback' | 'passed'>,
    private readonly signal?: AbortSignal,
  ) {}

  /** Sends one request below the base URL. Waits and repeats it after a 429, which did nothing. */
  async send(method: string, path: string, sending: Sending = {}): Promise<ServiceResponse> {
    for (let attempt = 1; ; attempt += 1) {
      this.signal?.throwIfAborted();
      await this.#pause();
      const answer = await this.#sendOnce(method, path, sending);
      if (answer.status !== 429 || attempt === maxAttempts) return answer;
      const seconds = Number(answer.headers.get('retry-after') ?? answer.headers.get('x-ratelimit-reset'));
      await sleep(1000 * (seconds > 0 && seconds < 120 ? seconds : 1));
    }
  }

  read(path: string): Promise<ServiceResponse> {
    return this.send('GET', path);
  }

  /** Reads a list to its last page. A page that is refused gives its status and no resources. Throws `Refused` for a wrong token. */
  async list(path: string): Promise<List> {
    const resources: Resource[] = [];
    for (let next: unknown; ; ) {
      const page = next === undefined ? '' : `${path.includes('?') ? '&' : '?'}page%5Bnumber%5D=${next}`;
      const answer = await this.read(path + page);
      const now = Date.parse(answer.headers.get('date') ?? '') || undefined;
      if (answer.status === 401) {
        throw new Refused(['The service does not accept the token (401): check TETHER_TOKEN.']);
      }
      if (answer.status !== 200) return { status: answer.status, resources: [], now };
      resources.push(...answer.listAt('/data').map(toResource));
      next = answer.at('/meta/pagination/next-page');
      if (typeof next !== 'number') return { status: 200, resources, now };
    }
  }

  async #pause(): Promise<void> {
    if (this.settings.isLoopback) return;
    const now = Date.now();
    const at = Math.max(now, this.#next);
    this.#next = at + pauseMs;
    await sleep(at - now);
  }

  async #sendOnce(
    method: string,
    path: string,
    { body, contentType = mediaType, isAuthorized = true }: Sending,
  ): Promise<ServiceResponse> {
    const timeout = AbortSignal.timeout(timeoutMs);
    // A write that is sent must end, because its answer says what was made.
    const signal = method === 'GET' && this.signal ? AbortSignal.any([timeout, this.signal]) : timeout;
    try {
      const response = await fetch(this.settings.address + path, {
        method,
        headers: {
          'content-type': contentType,
          ...(isAuthorized && { authorization: `Bearer ${this.settings.token}` }),
        },
        // A redirect would take the token to another host.
        redirect: 'manual',
        signal,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return new ServiceResponse(response.status, response.headers, jsonOrNothing(await response.text()));
    } catch {
      if (method === 'GET') this.signal?.throwIfAborted();
      const hint = this.settings.passed.HTTPS_PROXY === undefined ? '' : proxyHint;
      throw new Unanswered(`${method} got no answer from ${new URL(this.settings.address).host}.${hint}`);
    }
  }
}

function jsonOrNothing(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return '';
  }
}

export function toResource(value: unknown): Resource {
  const { id, attributes, relationships } = Object(value) as Partial<Resource>;
  return { id: String(id), attributes: Object(attributes ?? {}), relationships: Object(relationships ?? {}) };
}

/** Returns the ids in the linkage of a relationship. It is empty for an absent one. */
export function linkedIds({ relationships }: Resource, name: string): readonly string[] {
  const linked = [relationships[name]?.data ?? []].flat();
  return linked.map((reference) => String(Object(reference).id));
}

export function patchBody(attributes: object, relationships?: object) {
  return { data: { type: 'oauth-clients', attributes, ...(relationships && { relationships }) } };
}
