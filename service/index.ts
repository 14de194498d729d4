// Entry point `tether-iac/service`: the embedded API service, for tests and for `tether serve`.

export { type FaultKind, type FaultSpec, faultKinds } from './admin/fault';
export type { RequestRecord } from './admin/request-log';
export type { Snapshot } from './admin/snapshot';
export { BehaviourError, type Behaviours, behaviourValues, readBehaviours } from './behaviours';
export { type Clock, systemClock } from './clock';
export { createService, type Service, type ServiceOptions } from './create-service';
export { ProfileError } from './profile';
export { digestSecret } from './secret-digest';
export { SeedError } from './seed/read-seed';
export type {
  SeedGrant,
  SeedOAuthClient,
  SeedObject,
  SeedOrganization,
  SeedRunTrigger,
} from './seed/seed';
