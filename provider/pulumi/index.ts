/** Entry point `tether-iac/pulumi`: OAuth clients, their project attachments, and run triggers as Pulumi resources. */
export * from './classes';
export { Provider, type ProviderArgs } from './provider';
export * from './reading';
