/** Requests to a forge: JSON both ways, a time limit, patience with limits of rate, and errors that are one plain line. */
import { setTimeout as pause } from 'node:timers/promises';

const tries = 3;
/** Longer waits are not worth a runner. */
const longestPause = 60;

/** How a forge refused. */
class ForgeError extends Error {}

/** Seconds until the forge wants to be asked again; null where it does not say that it limits the rate. */
function limitedFor({ status, headers }) {
  if (status !== 429 && status !== 403) return null;
  const after = headers.get('retry-after');
  if (after !== null) return Number(after);
  if (status === 403 && headers.get('x-ratelimit-remaining') !== '0') return null;
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  return reset === null ? 1 : Math.max(0, Number(reset) - Date.now() / 1000);
}

/** One line without control characters: the answer is somebody else's text. */
function plain(text) {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
}

/** What a forge says of its refusal. */
function sayOf(text) {
  try {
    const { message, error, errors } = JSON.parse(text);
    const parts = [message, error, errors].filter((part) => part !== undefined);
    return plain(parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('; '));
  } catch {
    return '';
  }
}

function parsed(text, what) {
  try {
    return JSON.parse(text);
  } catch {
    throw new ForgeError(`${what} answered something other than JSON`);
  }
}

const advice = {
  401: 'the token is not accepted',
  403: 'the token may not; docs/pipelines.md lists the permissions',
  404: 'it is not there, or the token may not see it; docs/pipelines.md lists the permissions',
  422: 'it does not take this text',
};

/** Sends requests to `base` with these headers, the token among them. Redirects are refused: they would carry it elsewhere. */
export function requester(name, base, headers, timeoutSeconds) {
  return async function request(method, path, body) {
    const what = `${method} ${path.split('?')[0]}`;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt === tries;
      let response;
      let text;
      try {
        response = await fetch(`${base}${path}`, {
          method,
          headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
          body: body === undefined ? undefined : JSON.stringify(body),
          redirect: 'error',
          signal: AbortSignal.timeout(timeoutSeconds * 1000),
        });
        text = await response.text();
      } catch (error) {
        const why =
          error.name === 'TimeoutError'
            ? `no answer in ${timeoutSeconds} s`
            : plain(error.cause?.message || error.message);
        // What became of a POST is not known: a second one might make a second comment.
        if (isLast || method === 'POST') throw new ForgeError(`${what}: ${name} cannot be reached (${why})`);
        continue;
      }
      if (response.ok) return { text, json: () => parsed(text, `${what}: ${name}`) };
      const { status } = response;
      const seconds = limitedFor(response);
      if (seconds !== null && seconds <= longestPause && !isLast) {
        await pause(seconds * 1000);
        continue;
      }
      if (status >= 500 && method !== 'POST' && !isLast) continue;
      const why = seconds === null ? advice[status] : 'too many requests';
      const said = [why, sayOf(text)].filter(Boolean).join(': ');
      throw new ForgeError(`${what}: ${name} answered ${status}${said === '' ? '' : ` (${said})`}`);
    }
  };
}

/** Seconds for one request. */
export function timeoutOf({ TETHER_FORGE_TIMEOUT }) {
  return Number(TETHER_FORGE_TIMEOUT) || 20;
}
