/** The REST client; axios is loaded at the first request, not on import. */
export type * from './api.js';
export type { Clock } from './clock.js';
export { createClient, createReadOnlyClient } from './create.js';
export * from './errors.js';
export type { ClientEvent, ClientOptions } from './options.js';
