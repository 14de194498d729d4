/** The embedded service behind one that has an operation more, as a service with a fourth kind would: project grants. */
import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../../service';

interface Grant {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly createdAt: string;
}

/** What stands before a service. */
export interface Front {
  /** Base URL, with /api/v2. */
  readonly url: string;
  /** Nothing is left of what it has besides the service. */
  reset(): void;
  close(): Promise<void>;
}

/** Answers what concerns grants, and hands all other requests on. */
export async function withGrants(service: Service): Promise<Front> {
  const grants = new Map<string, Grant>();
  let made = 0;
  const answers: readonly (readonly [RegExp, string, (id: string, body: string) => Reply])[] = [
    [
      /^\/api\/v2\/workspaces\/([^/]+)\/project-grants$/,
      'GET',
      (workspaceId) => {
        const data = [...grants.values()].filter((one) => one.workspaceId === workspaceId).map(resourceOf);
        const pagination = { 'total-count': data.length, 'next-page': null };
        return [200, { data, meta: { pagination } }];
      },
    ],
    [
      /^\/api\/v2\/workspaces\/([^/]+)\/project-grants$/,
      'POST',
      (workspaceId, body) => {
        const projectId: string = JSON.parse(body).data.relationships.project.data.id;
        const isThere = [...grants.values()].some(
          (one) => one.workspaceId === workspaceId && one.projectId === projectId,
        );
        if (isThere) return [409, { errors: [{ title: 'conflict', detail: 'granted already' }] }];
        made += 1;
        const createdAt = new Date(Date.UTC(2025, 0, 1, 0, 0, made)).toISOString();
        const grant = { id: `grant-${made}`, workspaceId, projectId, createdAt };
        grants.set(grant.id, grant);
        return [201, { data: resourceOf(grant) }];
      },
    ],
    [
      /^\/api\/v2\/project-grants\/([^/]+)$/,
      'GET',
      (id) => {
        const grant = grants.get(id);
        return grant === undefined ? missing : [200, { data: resourceOf(grant) }];
      },
    ],
    [/^\/api\/v2\/project-grants\/([^/]+)$/, 'DELETE', (id) => (grants.delete(id) ? [204, null] : missing)],
  ];
  const answerOne = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', service.url);
    const body = await textOf(request);
    for (const [path, method, answer] of answers) {
      const [, id] = path.exec(url.pathname) ?? [];
      if (id === undefined || request.method !== method) continue;
      const [status, document] = answer(id, body);
      response.writeHead(status, { 'Content-Type': 'application/vnd.api+json' });
      response.end(document === null ? '' : JSON.stringify(document));
      return;
    }
    const { method, headers } = request;
    const onward = http.request(url, { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  };
  const server = http.createServer((request, response) => {
    answerOne(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    reset: () => grants.clear(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Reply = readonly [number, object | null];

const missing: Reply = [404, { errors: [{ title: 'not found' }] }];

function resourceOf({ id, workspaceId, projectId, createdAt }: Grant): object {
  return {
    id,
    type: 'project-grants',
    attributes: { 'created-at': createdAt },
    relationships: {
      workspace: { data: { id: workspaceId, type: 'workspaces' } },
      project: { data: { id: projectId, type: 'projects' } },
    },
  };
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
