/** The REST client; axios is loaded at the first request, not on import. */
export type * from './api';
export { type Clock, systemClock } from './clock';
export { createClient, createReadOnlyClient } from './create';
export * from './errors';
export type { ClientEvent, ClientOptions } from './options';
