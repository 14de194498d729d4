/** How every resource class registers. */
import { createHash } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import { inputNames, resourceTypeOf } from '../resource-types';
import { type Props, providerMember } from '../state';
import { bindCreated, bindInputs } from './bindings';

/** Every property is an output: as it was given or, where `Shown` has it, as the service shows it. */
export type Declared<Args, Shown> = pulumi.CustomResource & {
  readonly [Name in keyof Args]-?: pulumi.Output<
    Name extends keyof Shown ? Shown[Name] : Settled<pulumi.Unwrap<Args[Name]>>
  >;
} & { readonly [Name in keyof Shown as Exclude<Name, keyof Args>]: pulumi.Output<Shown[Name]> };

type Settled<Value> = Value extends readonly string[] ? string[] : Value;

export interface ResourceClass<Args, Shown> {
  new (name: string, args: Args, opts?: pulumi.CustomResourceOptions): Declared<Args, Shown>;
  /** Reads one by its id, without managing it. With its place in `state` (organization, or ends) many share a list. */
  get<Made>(
    this: new (
      name: string,
      args: Args,
      opts?: pulumi.CustomResourceOptions,
    ) => Made,
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state?: Partial<Args>,
    opts?: pulumi.CustomResourceOptions,
  ): Made;
  /** Knows a resource of that kind, of any copy of this package. */
  isInstance(value: unknown): value is Declared<Args, Shown>;
}

/** The class of a kind. Throws for one that is no resource type. */
export function resourceClass<Args extends object, Shown = unknown>(
  kind: string,
): ResourceClass<Args, Shown> {
  const type = resourceTypeOf(kind);
  const urnType = urnTypeOf(kind);
  class Resource extends pulumi.CustomResource {
    constructor(name: string, args: Args, opts: pulumi.CustomResourceOptions = {}) {
      const isRead = opts.id !== undefined;
      const provider = opts.provider ?? opts.parent?.getProvider(urnType);
      const inputs: Props = { ...(args as object) };
      const declared = { type, owner: `${kind} "${name}"`, inputs, provider };
      if (!isRead) bindInputs(declared);
      const secrets = Object.keys(type.fields).filter((field) => type.fields[field]?.writeOnly);
      const given = secrets.filter((field) => (inputs[field] ?? null) !== null);
      // The engine fills those that have no value.
      const names = [...inputNames(type), ...Object.keys(type.outputs)];
      super(
        urnType,
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

    static get(...[name, id, state, opts]: Parameters<ResourceClass<Args, Shown>['get']>) {
      return new this(name, { ...state } as Args, { ...opts, id });
    }

    static override isInstance(value: unknown): value is Resource {
      const { __pulumiType: found } = (value ?? {}) as { readonly __pulumiType?: unknown };
      return found === urnType;
    }
  }
  return Resource as typeof Resource & ResourceClass<Args, Shown>;
}

/** It stands in every URN and never changes. */
export function urnTypeOf(kind: string): string {
  return `pulumi-nodejs:dynamic/tether:${kind}`;
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
