/** Entry point `tether-iac/service`: the embedded API service, for tests and for `tether serve`. */
export type { FaultSpec, RequestRecord } from './admin/faults';
export { createService, type Service, type ServiceOptions } from './create-service';
export { type Clock, digestSecret, ServiceError, systemClock } from './machine';
export type { SeedGrant, SeedOAuthClient, SeedObject, SeedRunTrigger } from './seed';
export type { Records as Snapshot } from './store';
