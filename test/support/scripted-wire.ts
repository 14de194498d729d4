/** A client in front of a scripted server, both new for each test of the suite that asks for them. */
import { createClient } from '../../client/client';
import type { ClientEvent, ClientOptions } from '../../client/options';
import { type ScriptedServer, startScriptedServer } from './scripted-server';
import { VirtualClock } from './virtual-clock';

/** Starts and ends the server around each test; its objects are those of the running test. Call it inside `describe`. */
export function scriptedWire() {
  let server: ScriptedServer | undefined;
  const started = (): ScriptedServer => {
    if (server === undefined) throw new Error('the scripted server runs during a test only');
    return server;
  };
  const wire = {
    get server() {
      return started();
    },
    /** The time of every client of this test; a test may put a new one. */
    clock: new VirtualClock(),
    /** The events of this test's clients. */
    events: [] as ClientEvent[],
    /** A client of the server whose chances are all one half. */
    client: (options: Partial<ClientOptions> = {}) =>
      createClient({
        address: started().address,
        token: 'token-1',
        clock: wire.clock,
        random: () => 0.5,
        onEvent: (event) => wire.events.push(event),
        ...options,
      }),
  };
  beforeEach(async () => {
    server = await startScriptedServer();
    wire.clock = new VirtualClock();
    wire.events = [];
  });
  afterEach(() => started().close());
  return wire;
}
