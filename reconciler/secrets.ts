/** Values of write-only fields; the reading itself is shared with Pulumi. */
export * from '../resources/secrets';
