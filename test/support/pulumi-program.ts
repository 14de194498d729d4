/** Runs a Pulumi program without an engine, and records every declaration with its options. */
import { createRequire } from 'node:module';
import type { ResourceOptions } from '@pulumi/pulumi';
import {
  disconnect,
  registerStackTransformation,
  runInPulumiStack,
  setConfig,
  setMocks,
} from '@pulumi/pulumi/runtime';
import type {} from '@pulumi/pulumi/runtime/state';

/** One resource as the program declared it. */
export interface Declared {
  /** The last part: `OAuthClient`. */
  readonly kind: string;
  readonly name: string;
  /** The inputs for the engine. A secret appears as `{ secret: value }`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly options: ResourceOptions & { readonly additionalSecretOutputs?: readonly string[] };
}

// A store of its own, as the Automation API makes one: programs of other tests in this process see nothing of it.
const { LocalStore } = createRequire(require.resolve('@pulumi/pulumi/package.json'))('./runtime/state') as {
  readonly LocalStore: new () => NonNullable<ReturnType<typeof asyncLocalStorage.getStore>>;
};

/** The member by which the SDK marks a secret among inputs. */
const secretMark = '4dabf18193072939515e22adb298388d';

/** Returns the declared resources by name. Each has the id `<name>-id`. Rejects with the error of the program. */
export function declaredBy(
  program: () => void | Promise<void>,
  config: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Declared>> {
  return asyncLocalStorage.run(new LocalStore(), async () => {
    const options = new Map<string, Declared['options']>();
    const resources = new Map<string, Declared>();
    await setMocks(
      {
        call: ({ inputs }) => inputs,
        newResource: ({ type, name, inputs, id }) => {
          if (type !== 'pulumi:pulumi:Stack') {
            const kind = type.split(':').at(-1) ?? type;
            const plainInputs = withSecrets(inputs as Readonly<Record<string, unknown>>);
            resources.set(name, { kind, name, inputs: plainInputs, options: options.get(name) ?? {} });
          }
          return { id: id === undefined || id === '' ? `${name}-id` : id, state: inputs };
        },
      },
      'shop',
      'dev',
    );
    for (const [name, value] of Object.entries(config)) setConfig(name, value);
    await runInPulumiStack(async () => {
      registerStackTransformation((args) => {
        options.set(args.name, args.opts);
        return undefined;
      });
      await program();
    });
    await disconnect();
    return resources;
  });
}

function withSecrets(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const isWrapped =
        typeof value === 'object' && value !== null && secretMark in value && 'value' in value;
      return [name, isWrapped ? { secret: value.value } : value];
    }),
  );
}
