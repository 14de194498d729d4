/** Entry point `tether-iac/pulumi`: OAuth clients, their project attachments, and run triggers as Pulumi resources. */
export * from './classes';
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
