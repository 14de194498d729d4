/** Loaded first (`--require`) by Pulumi's processes: what the SDK needs for programs as closures, or to drive an engine, loads when first used. */
import Module from 'node:module';

/** What no provider of ours uses: two thirds of what its process would load. */
const late = new Set(['typescript', '@npmcli/arborist', 'normalize-package-data', 'fdir', './automation']);
const readers = /@pulumi\/pulumi\/(?:index|typescript-shim|runtime\/closure\/\w+)\.js$/u;

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
      get: (_, name) => {
        // The SDK's compiled imports ask for this mark at once, and copy a module that has none.
        if (name === '__esModule') return true;
        loaded ??= original(...given);
        // Nor do they look for a default behind the mark: for a module without one it is the module.
        return name === 'default' && !('__esModule' in loaded) ? loaded : Reflect.get(loaded, name);
      },
    },
  );
});
