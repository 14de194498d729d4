/** Clients of the API: one for everything, one that cannot send anything but GET. */
import type { Api, Perform, ReadApi } from './api';
import { createPerforms } from './call';
import { oauthClientReads, oauthClientWrites } from './oauth-clients';
import { type ClientOptions, settle } from './options';
import { runTriggerReads, runTriggerWrites } from './run-triggers';

/** The API, and the same for calls that belong together. */
export interface StepwiseApi extends Api {
  /**
   * For the calls of one step. After the signal's abort this sends nothing either until a write of the step has left;
   * then it sends what finishes the step (no POST) and need not wait for the service.
   */
  forStep(): Api;
}

/** A client for all operations. Throws `BadOption` at once; nothing is sent before the first call. */
export function createClient(options: ClientOptions): StepwiseApi {
  const settings = settle(options);
  const performs = createPerforms(settings, 'write');
  return {
    ...wholeApi(settings.address, performs.alone),
    forStep: () => wholeApi(settings.address, performs.ofStep()),
  };
}

/** A client whose transport refuses every method but GET. Throws `BadOption` at once. */
export function createReadOnlyClient(options: ClientOptions): ReadApi {
  const settings = settle(options);
  return readApi(settings.address, createPerforms(settings, 'read').alone);
}

function wholeApi(address: string, perform: Perform): Api {
  const reads = readApi(address, perform);
  return {
    ...reads,
    oauthClients: { ...reads.oauthClients, ...oauthClientWrites(perform) },
    runTriggers: { ...reads.runTriggers, ...runTriggerWrites(perform) },
  };
}

function readApi(address: string, perform: Perform): ReadApi {
  return { address, perform, oauthClients: oauthClientReads(perform), runTriggers: runTriggerReads(perform) };
}
