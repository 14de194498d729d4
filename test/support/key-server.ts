/** A server of keys for the stacks of tests: the two calls of Vault's transit engine that Pulumi makes, without any cipher. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './loopback';

/**
 * Where it listens, one for all stacks of this process. With a passphrase every command of the engine derives a key in a
 * million rounds, a fifth of what a test of it computes; here it asks for the key that the stack keeps.
 */
export function keyServer(): Promise<string> {
  address ??= start();
  return address;
}

let address: Promise<string> | undefined;

async function start(): Promise<string> {
  const server = createServer((request, response) => {
    const end = (sent: string) => {
      const body = JSON.parse(sent) as { readonly plaintext?: string; readonly ciphertext?: string };
      const data = request.url?.includes('/encrypt/')
        ? { ciphertext: `vault:v1:${body.plaintext}` }
        : { plaintext: body.ciphertext?.replace('vault:v1:', '') };
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    };
    // An engine that is killed breaks off in the middle of its body.
    text(request).then(end, () => response.destroy());
  });
  const port = await listen(server);
  server.unref();
  return `http://127.0.0.1:${port}`;
}
