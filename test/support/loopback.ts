/** Opens and closes the servers of tests, which listen on loopback only. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves with the port, one that was free. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Ends the connections too, whatever they wait for. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
