/** Which files a value passes in one apply: a client's name from YAML to the wire, a trigger's id from the wire to the ledger. */
/*
 * Every function of the product is made to report what it is called with. A file counts when one of its functions gets
 * the value itself or the one object that holds it, at most two levels deep; one that merely hands on a list or map
 * of many does not. `service/` is the other side and does not count, nor does what only shows it (`reconciler/render/`).
 */
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import Module from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';

const root = resolve(__dirname, '..');
const depth = 2;

/** A value to follow, and the files that got it, in order. */
interface Trail {
  readonly title: string;
  readonly matches: (text: string) => boolean;
  readonly files: Set<string>;
  /** The request that ends it, by its method; null: it goes on to the end. */
  readonly until: string | null;
}

const trails: readonly Trail[] = [
  {
    title: 'a client’s name, from YAML to the wire',
    matches: (text) => text === 'Traced name',
    files: new Set(),
    // The client is created under a temporary name.
    until: 'PATCH',
  },
  {
    title: 'a trigger’s id, from the wire to the ledger',
    matches: (text) => /^rt-\w+$/u.test(text),
    files: new Set(),
    until: null,
  },
];

/** The methods of the requests that were sent. */
const sent = new Set<string>();
subscribe('http.client.request.start', (message) => {
  sent.add((message as { readonly request: ClientRequest }).request.method);
});

function holds(value: unknown, matches: Trail['matches'], left: number): boolean {
  if (typeof value === 'string') return matches(value);
  if (left === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  // What has methods or a class is a collection or a tool, not the object that the value belongs to.
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).some((one) => holds(one, matches, left - 1));
}

function report(file: string, values: readonly unknown[]): void {
  if (file.startsWith('reconciler/render/')) return;
  for (const { matches, files, until } of trails) {
    if (until !== null && sent.has(until)) continue;
    if (!files.has(file) && values.some((value) => holds(value, matches, depth))) files.add(file);
  }
}

/** The same program, in which each function starts by reporting its arguments. */
function reporting(text: string, file: string): string {
  const namesIn = (name: ts.BindingName): readonly string[] =>
    ts.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap((one) => (ts.isBindingElement(one) ? namesIn(one.name) : []));
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined;
    const names = ts.isFunctionLike(node) ? node.parameters.flatMap(({ name }) => namesIn(name)) : [];
    if (body !== undefined && names.length > 0) {
      const call = `traceReport(${JSON.stringify(file)}, [${names.join(', ')}]);`;
      if (ts.isBlock(body)) insertions.push({ at: body.getStart() + 1, text: call });
      else
        insertions.push({ at: body.getStart(), text: `{ ${call} return (` }, { at: body.end, text: '); }' });
    }
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
  visit(source);
  let changed = text;
  for (const { at, text: added } of insertions.sort((one, other) => other.at - one.at)) {
    changed = changed.slice(0, at) + added + changed.slice(at);
  }
  return changed;
}

/** What Node keeps of a loader and does not type. */
interface Loader {
  _extensions: Record<string, (module: { _compile(text: string, file: string): void }, file: string) => void>;
}

/** Takes the place of Node's loader for the product's own files. */
function followProduct(): void {
  Object.assign(globalThis, { traceReport: report });
  const extensions = (Module as typeof Module & Loader)._extensions;
  const plain = extensions['.js'];
  extensions['.js'] = (module, file) => {
    const path = relative(root, file).split(sep).join('/');
    if (!/^(?:client|resources|observation|manifest|reconciler|cli|index)\b/u.test(path))
      return plain?.(module, file);
    module._compile(reporting(readFileSync(file, 'utf8'), path.replace(/\.js$/u, '.ts')), file);
  };
}

const token = 'traced-owner';
const seed = {
  organizations: { demo: { workspaces: { 'ws-app': {}, 'ws-network': {} } } },
  tokens: { [token]: { demo: 'owner' as const } },
};
const manifest = `apiVersion: tether/v1
organization: demo
oauthClients:
  github:
    name: Traced name
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
runTriggers:
  - { target: ws-app, source: ws-network }
`;

async function trace(): Promise<number> {
  const { createService } = await import('../service/index.js');
  followProduct();
  const { run } = await import('../cli/run.js');
  const service = await createService({ seed });
  const folder = mkdtempSync(join(tmpdir(), 'tether-trace-'));
  try {
    writeFileSync(join(folder, 'main.tether.yaml'), manifest);
    const code = await run(['apply', '--yes', '-q'], {
      stdout: { write: () => {} },
      stderr: process.stderr,
      env: { TETHER_ADDRESS: service.url, TETHER_TOKEN: token, GIT_TOKEN: 'traced-token' },
      cwd: folder,
      signal: new AbortController().signal,
      now: Date.now,
      ask: null,
    });
    if (code !== 0) return code;
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
  for (const { title, files } of trails) {
    process.stdout.write(
      `${title}: ${files.size} files\n${[...files].map((file) => `  ${file}\n`).join('')}`,
    );
  }
  return 0;
}

void trace().then((code) => {
  process.exitCode = code;
});
