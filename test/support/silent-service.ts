/** Lets a service leave members out of its answers, as one that does not know them. */
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy';

interface Resource {
  readonly type?: string;
  readonly attributes?: Record<string, unknown>;
  readonly relationships?: Record<string, unknown>;
}

/** What Terraform Enterprise before 2024 lacks. */
export const scopeMembers = ['organization-scoped', 'projects'];

/** Returns a proxy before the service, whose answers about clients lack these members of the wire. */
export async function startSilentService(url: string, members: readonly string[]) {
  const proxy: FaultyProxy = await startFaultyProxy(url);
  const silence = {
    address: proxy.origin + new URL(url).pathname,
    members,
    /** A client's own page has all members then. */
    onlyInLists: false,
    close: () => proxy.close(),
  };
  proxy.edit = (body) => {
    if (!body.includes('"oauth-clients"')) return body;
    const document = JSON.parse(body) as { data?: Resource | Resource[] };
    if (silence.onlyInLists && !Array.isArray(document.data)) return body;
    for (const { type, attributes, relationships } of [document.data ?? []].flat()) {
      if (type !== 'oauth-clients') continue;
      for (const name of silence.members) {
        delete attributes?.[name];
        delete relationships?.[name];
      }
    }
    return JSON.stringify(document);
  };
  return silence;
}
