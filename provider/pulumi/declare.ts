/** What every resource class hands to the engine: the text that loads the provider, inputs, and names of outputs. */
import { createHash } from 'node:crypto';
import {
  type CustomResourceOptions,
  getProject,
  getStack,
  type Output,
  output,
  type ProviderResource,
  secret,
} from '@pulumi/pulumi';
import type { ResourceDefinition } from '../../resources/kind';
import type { OwnInput } from '../own-inputs';
import { providerMember } from '../props';

/** The type under which the engine knows a kind; it stands in every URN and never changes. */
export function typeOf(kind: string): string {
  return `pulumi-nodejs:dynamic/tether:${kind}`;
}

/** True for a resource of that kind, of any copy of this package. */
export function isOfKind(kind: string, value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    '__pulumiType' in value &&
    value.__pulumiType === typeOf(kind)
  );
}

/** The text in every state that makes the SDK load this package; plain, so that it never changes and holds no code of ours. */
export function loaderOf(exported: string): string {
  return `exports.handler = () => require('tether-iac/provider').${exported};`;
}

/** The properties to register: inputs as given, secrets wrapped, and each output's name, which the engine fills. */
export function propertiesOf(
  exported: string,
  definition: Pick<ResourceDefinition, 'fields'> & Partial<Pick<ResourceDefinition, 'outputs'>>,
  own: Readonly<Record<string, OwnInput>>,
  args: object,
): Record<string, unknown> {
  const given: Readonly<Record<string, unknown>> = { ...args };
  const shown = Object.keys(own).filter((name) => !own[name]?.hidden);
  const outputs = [...Object.keys(definition.fields), ...shown, ...Object.keys(definition.outputs ?? {})];
  const inputs = Object.entries(given).map(([name, value]) => {
    const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined;
    return [name, field?.writeOnly && value !== undefined && value !== null ? secret(value) : value] as const;
  });
  return {
    ...Object.fromEntries(outputs.map((name) => [name, undefined])),
    ...Object.fromEntries(inputs),
    [providerMember]: loaderOf(exported),
  };
}

/** The provider that a resource was given, itself or through a parent; undefined for the default one. */
export function providerOf(opts: CustomResourceOptions): ProviderResource | undefined {
  return opts.provider ?? opts.parent?.getProvider(typeOf('any'));
}

/** `{ explicit: true }` where the program gave the resource a provider. */
export function explicitMark(opts: CustomResourceOptions): { explicit?: true } {
  return providerOf(opts) === undefined ? {} : { explicit: true };
}

/** Names of the secrets among the fields, for `additionalSecretOutputs`. */
export function secretsOf(definition: Pick<ResourceDefinition, 'fields'>): string[] {
  return Object.entries(definition.fields).flatMap(([name, field]) => (field.writeOnly ? [name] : []));
}

/** Twelve hex digits that are the same at every run for one resource of one stack, and differ between any two. */
export function createKeyOf(
  kind: string,
  name: string,
  opts: CustomResourceOptions | undefined,
): Output<string> {
  const parent = opts?.parent;
  // By way of a promise: an output would make the resource depend on its parent, and so on all its siblings.
  const place: Promise<string> =
    parent === undefined
      ? Promise.resolve(`${getStack()}::${getProject()}`)
      : new Promise((resolve) => {
          parent.urn.apply(resolve);
        });
  return output(place).apply((urn) =>
    createHash('sha256').update(`${urn}\n${kind}\n${name}`).digest('hex').slice(0, 12),
  );
}
