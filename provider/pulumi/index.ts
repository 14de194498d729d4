/** Entry point `tether-iac/pulumi`: OAuth clients, their project attachments, and run triggers as Pulumi resources. */
export { ProjectAttachment, type ProjectAttachmentState, RunTrigger, type RunTriggerState } from './links';
export { OAuthClient, type OAuthClientState } from './oauth-client';
export type {
  InboundRunTriggersArgs,
  OAuthClientArgs,
  OutboundRunTriggersArgs,
  ProjectAttachmentArgs,
  RunTriggerArgs,
  ServiceProvider,
} from './properties';
export { Provider, type ProviderArgs } from './provider';
export {
  type GetOAuthClientArgs,
  type GetOAuthClientOutputArgs,
  type GetOAuthClientResult,
  getOAuthClient,
  getOAuthClientOutput,
  type ListedRunTrigger,
  type ListRunTriggersArgs,
  listRunTriggers,
  listRunTriggersOutput,
} from './reading';
export {
  InboundRunTriggers,
  type InboundRunTriggersState,
  OutboundRunTriggers,
  type OutboundRunTriggersState,
} from './sets';
