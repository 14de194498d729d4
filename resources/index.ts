/** The kinds of resources, and the model they share. */
export * from './definition';
export * from './diff';
export * from './issue';
export * from './lists';
export { missingForCreate } from './oauth-client-check';
export { type Profile, ProfileError, readProfile } from './profile';
export * from './reference-kinds';
export { definitionOf, type Registry, registry } from './registry';
export * from './values';
