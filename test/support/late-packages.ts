/** Loaded first (`--require`) by Pulumi's processes: two packages that the SDK needs for programs as closures load when first used. */
import Module from 'node:module';

/** What only the SDK's closure serializer uses, and no provider of ours: half of what a provider process would load. */
const late = new Set(['typescript', '@npmcli/arborist']);
const readers = /@pulumi\/pulumi\/(?:typescript-shim|runtime\/closure\/\w+)\.js$/u;

type Load = (request: string, parent: { readonly filename?: string } | undefined, isMain: boolean) => object;

const load: unknown = Reflect.get(Module, '_load');
if (typeof load !== 'function') throw new Error('Node loads its modules elsewhere');
const original = load as Load;

Reflect.set(Module, '_load', (...given: Parameters<Load>): object => {
  const [request, parent] = given;
  if (!late.has(request) || !readers.test(parent?.filename ?? '')) return original(...given);
  let loaded: object | undefined;
  return new Proxy(
    {},
    {
      // The SDK's compiled imports ask for this mark at once, and copy a module that has none.
      get: (_, name) => {
        if (name === '__esModule') return true;
        loaded ??= original(...given);
        return Reflect.get(loaded, name);
      },
    },
  );
});
