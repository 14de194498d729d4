/** How large and how deep the product is: figures that may not grow unnoticed, files too small for a door of their own, names with two meanings. */
import { posix } from 'node:path';
import type { Finding, SourceFile } from './source-files';

/** What `tools/check/size-limits.json` holds: each figure may fall, and grows only with its number, changed in the same commit. */
export interface SizeLimits {
  readonly files: number;
  readonly lines: number;
  /** Each run of white space counts as one character. */
  readonly characters: number;
  /** The longest chain of imports, in files. */
  readonly chain: number;
  /** The same without imports that are types alone. */
  readonly chainOfValues: number;
}

/** Where the limits stand. */
export const limitsFile = 'tools/check/size-limits.json';

/** A file shorter than this with a single importer belongs in that importer. */
const smallest = 60;

const isProduct = (path: string): boolean =>
  path.endsWith('.ts') && !path.endsWith('.d.ts') && !/^(?:test|examples|bench|tools)\//u.test(path);

const importLine =
  /(?:^|\n)(?:import|export)\s+(type\s)?([^;]*?)\s*from '(\.[^']+)'|(?:require|import)\('(\.[^']+)'\)/gu;

interface Import {
  readonly to: string;
  readonly ofTypes: boolean;
}

function importsOf(file: SourceFile, paths: ReadonlySet<string>): readonly Import[] {
  return [...file.text.matchAll(importLine)].flatMap(([, type, names = '', from, inline]) => {
    const base = posix.join(posix.dirname(file.path), (from ?? inline ?? '').replace(/\.js$/u, ''));
    const to = [`${base}.ts`, `${base}/index.ts`].find((path) => paths.has(path));
    const each = names.replace(/[{}]/gu, '').split(',');
    const ofTypes =
      type !== undefined || (from !== undefined && each.every((one) => /^\s*(?:type\s|$)/u.test(one)));
    return to === undefined ? [] : [{ to, ofTypes }];
  });
}

/** The longest way from file to file; each is visited once, since no two import each other in a circle. */
function longestChain(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const from = (path: string): readonly string[] => {
    const before = known.get(path);
    if (before !== undefined) return before;
    known.set(path, [path]);
    const ways = (graph.get(path) ?? []).map(from);
    const longest = ways.reduce((one, other) => (other.length > one.length ? other : one), []);
    known.set(path, [path, ...longest]);
    return known.get(path) ?? [];
  };
  return [...graph.keys()].map(from).reduce((one, other) => (other.length > one.length ? other : one), []);
}

/** The figures of these files, with the two chains that they come from. */
function measure(files: readonly SourceFile[]) {
  const product = files.filter(({ path }) => isProduct(path));
  const paths = new Set(product.map(({ path }) => path));
  const imports = new Map(product.map((file) => [file.path, importsOf(file, paths)]));
  const graph = (values: boolean) =>
    new Map(
      [...imports].map(([path, all]) => [
        path,
        all.filter((one) => !(values && one.ofTypes)).map((one) => one.to),
      ]),
    );
  const chains = { chain: longestChain(graph(false)), chainOfValues: longestChain(graph(true)) };
  const total = (count: (text: string) => number) => product.reduce((sum, { text }) => sum + count(text), 0);
  const figures: SizeLimits = {
    files: product.length,
    lines: total((text) => text.split('\n').length - 1),
    characters: total((text) => text.replace(/\s+/gu, ' ').length),
    chain: chains.chain.length,
    chainOfValues: chains.chainOfValues.length,
  };
  return { figures, chains, imports, product };
}

/** Findings of growth beyond the limits, of small files with one reader, and of exported functions that share a name. */
export function checkSize(files: readonly SourceFile[], limits: SizeLimits): readonly Finding[] {
  const { figures, chains, imports, product } = measure(files);
  const grown = (Object.keys(limits) as (keyof SizeLimits)[])
    .filter((figure) => figures[figure] > limits[figure])
    .map((figure): Finding => {
      const way = figure === 'chain' || figure === 'chainOfValues' ? ` (${chains[figure].join(' > ')})` : '';
      const message = `${figure}: ${figures[figure]}, limit ${limits[figure]}${way}; make it smaller, or change the number and say why in the commit`;
      return { rule: 'growth', path: limitsFile, message };
    });
  const readers = new Map<string, string[]>();
  for (const [path, all] of imports) {
    for (const to of new Set(all.map((one) => one.to))) readers.set(to, [...(readers.get(to) ?? []), path]);
  }
  const small = product.flatMap(({ path, text }): Finding[] => {
    const [reader, ...others] = readers.get(path) ?? [];
    const lines = text.split('\n').length - 1;
    if (lines >= smallest || reader === undefined || others.length > 0) return [];
    const message = `${lines} lines, and only ${reader} imports it: put it there, or say why it stands alone`;
    return [{ rule: 'small-file', path, message }];
  });
  const names = new Map<string, string[]>();
  for (const { path, text } of product.filter((file) => !file.path.startsWith('service/'))) {
    for (const [, name = ''] of text.matchAll(/^export (?:async )?function\*? (\w+)/gmu)) {
      names.set(name, [...(names.get(name) ?? []), path]);
    }
  }
  const shared = [...names].flatMap(([name, [first, ...others]]): Finding[] =>
    others.map((path) => ({
      rule: 'shared-name',
      path,
      message: `${first} exports a function \`${name}\` too: one name for one notion`,
    })),
  );
  return [...grown, ...small, ...shared];
}
