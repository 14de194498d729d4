/** How every resource class registers. */
import * as pulumi from '@pulumi/pulumi';
import { inputNames, resourceTypeOf } from '../resource-types';
import type { Props } from '../state';
import { hasType, version } from './provider';

/** Every property is an output: as it was given or, where `Shown` has it, as the service shows it. */
export type Declared<Args, Shown> = pulumi.CustomResource & {
  readonly [Name in keyof Args]-?: pulumi.Output<
    Name extends keyof Shown ? Shown[Name] : Settled<pulumi.Unwrap<Args[Name]>>
  >;
} & { readonly [Name in keyof Shown as Exclude<Name, keyof Args>]: pulumi.Output<Shown[Name]> };

/** Inputs, and what the service shows, as far as they are known. */
export type StateOf<Args, Shown = unknown> = Partial<Args> & {
  readonly [Name in Exclude<keyof Shown, keyof Args>]?: pulumi.Input<Shown[Name] | undefined>;
};

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
    state?: StateOf<Args, Shown>,
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
  const urnType = `tether:index:${kind}`;
  // The dynamic type of 0.1, whose state moves without a call.
  const aliases = [{ type: `pulumi-nodejs:dynamic/tether:${kind}` }];
  class Resource extends pulumi.CustomResource {
    constructor(name: string, args: Args, opts: pulumi.CustomResourceOptions = {}) {
      const inputs: Props = { ...(args as object) };
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
        },
        pulumi.mergeOptions({ version, aliases, additionalSecretOutputs: secrets }, opts),
      );
    }

    static get(...[name, id, state, opts]: Parameters<ResourceClass<Args, Shown>['get']>) {
      return new this(name, { ...state } as Args, { ...opts, id });
    }

    static override isInstance(value: unknown): value is Resource {
      return hasType(value, urnType);
    }
  }
  return Resource as typeof Resource & ResourceClass<Args, Shown>;
}
