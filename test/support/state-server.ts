/** A server for Terraform states in memory, which answers as GitLab's documentation says: 204, 409 and 422 where Gitea has 404, 423 and 409. */
import * as http from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from './loopback';

interface State {
  text?: string;
  lock?: Readonly<Record<string, string>>;
  readonly serials: Set<number>;
}

export type StateServer = Awaited<ReturnType<typeof startStateServer>>;

export const stateLogin = { user: 'tether', token: 'state-token-canary' };

export async function startStateServer(login = stateLogin) {
  const states = new Map<string, State>();
  const expectedLogin = `Basic ${Buffer.from(`${login.user}:${login.token}`).toString('base64')}`;
  const respond = (method: string, url: string, body: string): readonly [status: number, text?: string] => {
    const { pathname, searchParams } = new URL(url, 'http://host');
    const path = pathname.replace(/\/lock$/, '');
    const state = states.get(path);
    if (method === 'GET')
      return state === undefined ? [404] : state.text === undefined ? [204] : [200, state.text];
    if (method === 'DELETE' && path === pathname) {
      states.delete(path);
      return [200];
    }
    const savedState = state ?? { serials: new Set() };
    states.set(path, savedState);
    const id = savedState.lock?.ID;
    const lockInfo = JSON.parse(body) as Readonly<Record<string, string>>;
    if (path === pathname) {
      if (id !== (searchParams.get('ID') ?? undefined)) return [409];
      if (savedState.serials.has(Number(lockInfo.serial))) return [422];
      savedState.serials.add(Number(lockInfo.serial));
      savedState.text = body;
      return [200];
    }
    if (method === 'POST' && id === undefined) {
      savedState.lock = { ...lockInfo };
      return [200];
    }
    // The answer names the user who holds the lock. The request decides all other members.
    if (method === 'POST') return [409, JSON.stringify({ ...lockInfo, ...savedState.lock })];
    if (id !== undefined && id !== lockInfo.ID) return [409];
    delete savedState.lock;
    return [200];
  };
  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const end = (body: string) => {
      const [status, shown = ''] =
        headers.authorization === expectedLogin ? respond(method, url, body) : [401];
      response.writeHead(status).end(shown);
    };
    // A run that is killed breaks off in the middle of its body.
    text(request).then(end, () => response.destroy());
  });
  const port = await listen(server);
  return { origin: `http://127.0.0.1:${port}`, close: () => close(server) };
}
