/** Entry point `tether-iac/pulumi`: OAuth clients, their project attachments, and run triggers as Pulumi resources. */
export { ProjectAttachment, RunTrigger } from './links';
export { OAuthClient } from './oauth-client';
export type {
  InboundRunTriggersArgs,
  OAuthClientArgs,
  OutboundRunTriggersArgs,
  ProjectAttachmentArgs,
  RunTriggerArgs,
} from './properties';
export { Provider, type ProviderArgs } from './provider';
export {
  type GetOAuthClientArgs,
  type GetOAuthClientResult,
  getOAuthClient,
  getOAuthClientOutput,
  type ListedRunTrigger,
  type ListRunTriggersArgs,
  listRunTriggers,
  listRunTriggersOutput,
} from './reading';
export { InboundRunTriggers, OutboundRunTriggers } from './sets';
