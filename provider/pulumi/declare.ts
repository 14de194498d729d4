/** How every resource class registers. */
import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import { inputNames, resourceTypeOf } from '../resource-types';
import { type Props, providerMember } from '../state';
import { bindCreated, bindInputs } from './bindings';

/** The inputs of a class: each is a property, documented where the arguments are. */
export type Inputs<Args> = { readonly [Name in keyof Args]?: unknown };

/** Each class adds its kind and the types of its properties. */
export abstract class DeclaredResource<Args extends object> extends pulumi.CustomResource {
  static readonly kind: string;

  constructor(name: string, args: Args, opts: pulumi.CustomResourceOptions = {}) {
    const { kind } = new.target;
    const type = resourceTypeOf(kind);
    const isRead = opts.id !== undefined;
    const provider = opts.provider ?? opts.parent?.getProvider(urnTypeOf(kind));
    const inputs: Props = { ...(args as object) };
    const declared = { type, owner: `${kind} "${name}"`, inputs, provider };
    if (!isRead) bindInputs(declared);
    const secrets = Object.keys(type.fields).filter((field) => type.fields[field]?.writeOnly);
    const given = secrets.filter((field) => (inputs[field] ?? null) !== null);
    // The engine fills those that have no value.
    const names = [...inputNames(type), ...Object.keys(type.outputs)];
    super(
      urnTypeOf(kind),
      name,
      {
        ...Object.fromEntries(names.map((property) => [property, undefined])),
        ...inputs,
        ...Object.fromEntries(given.map((field) => [field, pulumi.secret(inputs[field])])),
        ...(provider && { explicit: true }),
        ...(!isRead && type.own.createKey && { createKey: createKeyOf(kind, name, opts.parent) }),
        [providerMember]: loaderOf(type.handler),
      },
      { ...opts, additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), ...secrets] },
    );
    if (!isRead) bindCreated(declared, this);
  }

  /** Reads one by its id, without managing it. With its place in `state` (organization, or ends) many share a list. */
  static get<Args, Made>(
    this: new (
      name: string,
      args: Args,
      opts?: pulumi.CustomResourceOptions,
    ) => Made,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: NoInfer<Partial<Args>> = {},
    opts: pulumi.CustomResourceOptions = {},
  ): Made {
    return new this(name, state as Args, { ...opts, id });
  }
}

/** It stands in every URN and never changes. */
export function urnTypeOf(kind: string): string {
  return `pulumi-nodejs:dynamic/tether:${kind}`;
}

/** Knows a resource of that kind, of any copy of this package. */
export function isOfKind<Kind>(kind: string) {
  return (value: unknown): value is Kind => {
    const { __pulumiType: type } = (value ?? {}) as { readonly __pulumiType?: unknown };
    return type === urnTypeOf(kind);
  };
}

/** By this text, which stands in every state and never changes, the SDK loads this package. */
export function loaderOf(handler: string): string {
  return `exports.handler = () => require('tether-iac/provider').${handler};`;
}

/** Twelve hex digits, the same at every run for one resource of one stack. */
function createKeyOf(kind: string, name: string, parent: pulumi.Resource | undefined) {
  // A promise, since an output would make the resource depend on its parent, and so on all its siblings.
  const place = new Promise<string>((resolve) => {
    if (parent === undefined) resolve(`${pulumi.getStack()}::${pulumi.getProject()}`);
    else parent.urn.apply(resolve);
  });
  return pulumi
    .output(place)
    .apply((urn) => createHash('sha256').update(`${urn}\n${kind}\n${name}`).digest('hex').slice(0, 12));
}
