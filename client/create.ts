/** Clients of the API: one for everything, one that cannot send anything but GET. */
import type { Api, ReadApi } from './api';
import { oauthClientReads, oauthClientWrites } from './oauth-clients';
import { createPerform, type Perform } from './operation';
import { type ClientOptions, settle } from './options';
import { runTriggerReads, runTriggerWrites } from './run-triggers';

/** A client for all operations. Throws `BadOption` at once; nothing is sent before the first call. */
export function createClient(options: ClientOptions): Api {
  const settings = settle(options);
  const perform = createPerform(settings, 'write');
  const reads = readApi(settings.address, perform);
  return {
    ...reads,
    oauthClients: { ...reads.oauthClients, ...oauthClientWrites(perform) },
    runTriggers: { ...reads.runTriggers, ...runTriggerWrites(perform) },
  };
}

/** A client whose transport refuses every method but GET. Throws `BadOption` at once. */
export function createReadOnlyClient(options: ClientOptions): ReadApi {
  const settings = settle(options);
  return readApi(settings.address, createPerform(settings, 'read'));
}

function readApi(address: string, perform: Perform): ReadApi {
  return { address, oauthClients: oauthClientReads(perform), runTriggers: runTriggerReads(perform) };
}
