/** A server of keys for the stacks of tests: the two calls of Vault's transit engine that Pulumi makes, without any cipher. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Where it listens, one for all stacks of this process. With a passphrase every command of the engine derives a key in a
 * million rounds, a fifth of what a test of it computes; here it asks for the key that the stack keeps.
 */
export function keyServer(): Promise<string> {
  address ??= start();
  return address;
}

let address: Promise<string> | undefined;

function start(): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const body = JSON.parse(text) as { readonly plaintext?: string; readonly ciphertext?: string };
      const data = request.url?.includes('/encrypt/')
        ? { ciphertext: `vault:v1:${body.plaintext}` }
        : { plaintext: body.ciphertext?.replace('vault:v1:', '') };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
    server.unref();
  });
}
