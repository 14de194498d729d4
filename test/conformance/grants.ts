/** The operations of project grants, which the embedded service does not have. They are answered before a request leaves. */
import type { Api, Request } from '../../client/api';
import type { StepwiseApi } from '../../client/client';
import { NotFound } from '../../client/errors';

export class Grants {
  readonly #grants = new Map<string, { readonly workspaceId: string; readonly resource: object }>();
  #made = 0;

  clear(): void {
    this.#grants.clear();
  }

  /** The same API with grants. */
  before(api: StepwiseApi): StepwiseApi {
    return { ...api, ...this.#with(api), forStep: () => this.#with(api.forStep()) };
  }

  #with(api: Api): Api {
    return {
      ...api,
      perform: async (request) =>
        request.path.includes('project-grants') ? this.#perform(request) : api.perform(request),
    };
  }

  #perform<Result>({ method, path: [section, id = ''], body, read }: Request<Result>): Result {
    if (section === 'workspaces') return read(method === 'POST' ? this.#create(id, body) : this.#list(id));
    const grant = this.#grants.get(id);
    if (grant === undefined) {
      const context = { method, route: `/project-grants/${id}`, status: 404, attempts: 1, details: [] };
      throw new NotFound(`${id}: not found (404)`, 'rejected', context);
    }
    if (method === 'DELETE') this.#grants.delete(id);
    return read({ data: grant.resource });
  }

  #list(workspaceId: string): object {
    const grants = [...this.#grants.values()].filter((one) => one.workspaceId === workspaceId);
    const pagination = { 'total-count': grants.length, 'next-page': null };
    return { data: grants.map(({ resource }) => resource), meta: { pagination } };
  }

  #create(workspaceId: string, body: object | undefined): object {
    this.#made += 1;
    const id = `grant-${this.#made}`;
    const { project } = (body as { data: { relationships: { project: object } } }).data.relationships;
    const resource = {
      id,
      type: 'project-grants',
      attributes: { 'created-at': new Date(Date.UTC(2023, 0, 1, 0, 0, this.#made)).toISOString() },
      relationships: { workspace: { data: { id: workspaceId, type: 'workspaces' } }, project },
    };
    this.#grants.set(id, { workspaceId, resource });
    return { data: resource };
  }
}
