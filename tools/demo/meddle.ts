/** Makes changes outside Tether, with plain calls to the API like those of the service's web page. */
import { say } from './command';

/** Ids of the workspaces in the demo. The keys are the names in the manifests. */
export type Workspaces = Readonly<Record<string, string>>;

interface Resource {
  readonly id: string;
  readonly attributes: { readonly name?: string | null };
  readonly relationships: { readonly sourceable?: { readonly data: { readonly id: string } } };
}

class Somebody {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Makes one call and returns the resources of its answer. Throws for any status except 2xx. */
  async call(method: string, path: string, data?: object): Promise<readonly Resource[]> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/vnd.api+json' },
      ...(data === undefined ? {} : { body: JSON.stringify({ data }) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    if (text === '') return [];
    const document = JSON.parse(text) as { data: Resource | readonly Resource[] };
    return [document.data].flat();
  }
}

/** Renames a client, deletes a trigger, and adds one inside an exact set. */
export async function meddle(url: string, token: string, workspaces: Workspaces): Promise<void> {
  const somebody = new Somebody(url, token);
  const idOf = (name: string): string => {
    const id = workspaces[name];
    if (id === undefined) throw new Error(`the example has no workspace ${name} any more`);
    return id;
  };
  say('Somebody changes things behind our back: renames the connection "Agency" to "Agency (old)",');
  const clients = await somebody.call('GET', '/organizations/acme/oauth-clients');
  const agency = clients.find(({ attributes }) => attributes.name === 'Agency');
  if (agency === undefined) throw new Error('the example has no connection "Agency" any more');
  await somebody.call('PATCH', `/oauth-clients/${agency.id}`, {
    type: 'oauth-clients',
    attributes: { name: 'Agency (old)' },
  });

  process.stdout.write('# deletes the old trigger from vault to queue,\n');
  const path = `/workspaces/${idOf('queue')}/run-triggers`;
  const inbound = await somebody.call('GET', `${path}?filter%5Brun-trigger%5D%5Btype%5D=inbound`);
  const trigger = inbound.find(({ relationships }) => relationships.sourceable?.data.id === idOf('vault'));
  if (trigger === undefined) throw new Error('the example has no trigger from vault to queue any more');
  await somebody.call('DELETE', `/run-triggers/${trigger.id}`);

  process.stdout.write(
    '# and lets observability trigger payments-api-production, which the manifests do not list.\n',
  );
  await somebody.call('POST', `/workspaces/${idOf('payments-api-production')}/run-triggers`, {
    relationships: { sourceable: { data: { type: 'workspaces', id: idOf('observability') } } },
  });
}
