/** A raw HTTP server on loopback that answers each request as its script says and records what arrived. */
import * as http from 'node:http';
import { close, listen } from './loopback';
import { JSON_API } from './wire-documents';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** How one request is answered. */
export type Reply = (response: http.ServerResponse, arrived: Arrived) => void;

export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;

export async function startScriptedServer() {
  const arrived: Arrived[] = [];
  let replies: Reply[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const arrival = { method, url, headers, body: Buffer.concat(chunks).toString() };
      arrived.push(arrival);
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? json(500, {});
      reply(response, arrival);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server);
  return {
    /** Base URL with /api/v2. */
    address: `http://127.0.0.1:${port}/api/v2`,
    port,
    arrived,
    /** Connections that were opened so far. */
    connections: () => connections,
    /** Replies for the next requests, in order; the last one stays for all that follow. */
    script: (...next: Reply[]) => {
      replies = next;
    },
    close: () => close(server),
  };
}

export function json(status: number, document: object, headers: http.OutgoingHttpHeaders = {}): Reply {
  return (response) => response.writeHead(status, { ...JSON_API, ...headers }).end(JSON.stringify(document));
}

export function text(status: number, body: string, headers: http.OutgoingHttpHeaders = {}): Reply {
  return (response) => response.writeHead(status, headers).end(body);
}

/** An error document. */
export function refusal(status: number, title: string, detail?: string): Reply {
  const error = { status: String(status), title, ...(detail === undefined ? {} : { detail }) };
  return json(status, { errors: [error] });
}

export const empty: Reply = (response) => response.writeHead(204).end();

/** The connection breaks after the request was read. */
export const reset: Reply = (response) => {
  response.socket?.resetAndDestroy();
};

/** Status and headers arrive, and half of the body. */
export function cutOff(status: number): Reply {
  return (response) => {
    response.writeHead(status, { ...JSON_API, 'Content-Length': '1000' });
    response.write('{"data": {"id": "', () => response.socket?.destroy());
  };
}

/** No answer at all, and the connection stays open. */
export const silence: Reply = () => {};
