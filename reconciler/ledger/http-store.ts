/** The ledger on an HTTP server, by the protocol that Terraform's `http` backend speaks with GitLab and Gitea. */
import { describeNoResponse } from '../../client/outcome';
import { findProxy } from '../../client/proxy';
import { type Redact, redactor } from '../../client/text';
import { createTransport, type Send } from '../../client/transport';
import type { LedgerPlace } from '../../manifest/ledger-place';
import { ledgerSecrets, parseLogins } from './credentials';
import { Home, homeTimes, isConflict, maxBytes, type Stored, wayOut } from './home';
import { LedgerError, type LockHolder, LockLost, parseLock, renderLock, type StoreContext } from './store';

interface Answer {
  /** The status, or 0 if no whole answer arrived. */
  readonly status: number;
  readonly text: string;
  readonly problem: string;
}

type Method = 'GET' | 'POST' | 'DELETE';

const pageStart = /^\s*<[!a-z]/i;

const settings = { address: '`ledger:`', credentials: 'TETHER_LEDGER_CREDENTIALS' };

export class HttpStore extends Home {
  override readonly saveEveryMs = 10_000;
  readonly #name: string;
  readonly #redact: Redact;
  readonly #proxy: URL | null;
  readonly #send: Send;

  /** Throws `LedgerError` if there are no credentials for the host. */
  constructor({ url }: Extract<LedgerPlace, { home: 'http' }>, context: StoreContext) {
    super(url, context);
    const { env = {}, cwd } = context;
    this.#redact = redactor(ledgerSecrets(env));
    const { origin, protocol, host } = new URL(url);
    const logins = parseLogins(env.TETHER_LEDGER_CREDENTIALS ?? '').filter((each) => each.origin === origin);
    const [login, second] = logins;
    if (login === undefined) {
      const setting = `TETHER_LEDGER_CREDENTIALS=${protocol}//user:token@${host}`;
      const advice = 'with user and token percent-encoded, and a blank before the URL of another host';
      throw new LedgerError(`${url} needs ${setting}, ${advice}`);
    }
    if (second !== undefined) {
      throw new LedgerError(`TETHER_LEDGER_CREDENTIALS has two logins for ${host}: keep the right one`);
    }
    const proxy = findProxy(url, { variable: (name) => env[name] || undefined, folder: () => cwd });
    this.#proxy = proxy === undefined ? null : new URL(proxy);
    const end = url.lastIndexOf('/');
    this.#name = url.slice(end);
    this.#send = createTransport({
      address: url.slice(0, end),
      authorization: `Basic ${Buffer.from(`${login.user}:${login.token}`).toString('base64')}`,
      mediaType: 'application/json',
      proxy: this.#proxy,
      maxAnswerBytes: maxBytes,
      timeoutMs: homeTimes.request,
    });
  }

  async #request(method: Method, path = '', body: string | null = null): Promise<Answer> {
    const route = this.#name + path;
    const answer = await this.#send({ method, route, body, timeoutMs: homeTimes.request });
    if (answer.kind === 'none') {
      const problem = describeNoResponse(answer, this.place, this.#proxy, '`ledger:`');
      return { status: 0, text: '', problem };
    }
    const { status, headers, body: bytes, broken } = answer;
    if (broken === 'too large') throw this.tooLarge();
    const text = Buffer.from(bytes ?? []).toString();
    // A proxy or a login page may answer in place of the server.
    const isPage = status < 300 && pageStart.test(text);
    const unread = isPage ? `a web page: check ${settings.address} and the proxies on the way` : broken;
    if (unread !== null) return { status: 0, text, problem: `the answer was ${unread}` };
    const problem = `the answer was ${status}: ${wayOut(status, headers.location, settings)}`;
    return { status, text, problem: this.#redact(problem) };
  }

  #refuse(verb: string, { status, problem }: Answer): never {
    throw this.refusal(verb, status, problem);
  }

  protected override async load(): Promise<Stored | null> {
    const answer = await this.#request('GET');
    // GitLab answers 204 for a state that was locked and never written.
    if (isMissing(answer) || answer.status === 204) return null;
    if (answer.status !== 200) this.#refuse('read', answer);
    if (answer.text === '') {
      const problem = `the answer was 200 with an empty body: check ${settings.address}`;
      this.#refuse('read', { ...answer, problem });
    }
    return { text: answer.text, tag: '' };
  }

  protected override async store(text: string, _: Stored | null, lock: LockHolder): Promise<string | null> {
    const answer = await this.#request('POST', `?ID=${lock.id}`, text);
    if (isSuccess(answer)) return null;
    if (!isConflict(answer.status)) return answer.problem;
    const holder = parseLock(this.#redact(answer.text));
    // Gitea answers so to a serial that exists too, if an earlier attempt of this save was late.
    if (holder !== null || (await this.load())?.text !== text) throw new LockLost(this.place, holder);
    return null;
  }

  protected override async takeLock(lock: LockHolder): Promise<LockHolder | null> {
    // If an earlier answer was lost, our own lock may refuse this request. The answer then names it.
    const answer = await this.#request('POST', '/lock', renderLock(lock));
    if (isSuccess(answer)) return lock;
    if (!isConflict(answer.status)) this.#refuse('lock', answer);
    return parseLock(this.#redact(answer.text));
  }

  protected override async removeLock(id: string, isRepeated: boolean): Promise<void> {
    const answer = await this.#request('DELETE', '/lock', JSON.stringify({ ID: id }));
    // The lock is free if it is not found.
    if (isSuccess(answer) || isMissing(answer)) return;
    if (isRepeated && isConflict(answer.status)) return;
    const holder = isConflict(answer.status) ? parseLock(this.#redact(answer.text)) : null;
    if (holder !== null && holder.id !== id) throw new LockLost(this.place, holder);
    this.#refuse('unlock', answer);
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** False for the page of another server, and where GitLab or Gitea hides the project or the owner from this login. */
function isMissing({ status, text }: Answer): boolean {
  return status === 404 && !pageStart.test(text) && !/"404 Project Not Found"|^Not found\.\n$/.test(text);
}
