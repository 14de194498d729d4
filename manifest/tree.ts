/** YAML or JSON text → tree, with every mistake of syntax and the limits that keep a hostile file harmless. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';
import type { Findings } from './findings';
import type { MapEntry, Node } from './node';
import type { Source } from './source';
import { syntaxMessage } from './syntax-message';

/** A manifest needs five levels; this is where nesting stops being a manifest. */
const deepest = 20;
/** How many mistakes of syntax are told of one file: one often makes all lines below it wrong. */
const mostSyntax = 20;
/** How many nodes all YAML aliases of a file may stand for together. */
const mostAliased = 10_000;

/** The tree of the only document; null after a mistake of syntax (told in `findings`) or for an empty file. */
export function parseTree(source: Source, findings: Findings): Node | null {
  try {
    return parse(source, findings);
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof RangeError)) throw error;
    const refused = error instanceof Refused ? error : new Refused(0, 'too-deep', tooDeep);
    findings.error(refused.rule, { at: source.at(refused.offset) }, refused.message);
    return null;
  }
}

const plainTag = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

const tooDeep = `nested more than ${deepest} levels deep: this is no manifest`;

class Refused extends Error {
  constructor(
    readonly offset: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

function parse(source: Source, findings: Findings): Node | null {
  const documents: Document.Parsed[] = [
    ...parseAllDocuments(source.text(), {
      version: '1.2',
      schema: 'core',
      merge: false,
      uniqueKeys: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: 'silent',
    }),
  ];
  const [first, second] = documents;
  const problems = documents.flatMap((one) => [...one.errors, ...one.warnings]);
  const told = new Set<number>();
  for (const problem of problems) {
    const at = source.at(problem.pos[0]);
    if (told.has(at.line) || told.size === mostSyntax) continue;
    told.add(at.line);
    findings.error('yaml-syntax', { at }, syntaxMessage(problem.code));
  }
  if (second !== undefined) {
    findings.error(
      'several-documents',
      { at: source.at(second.range[0]) },
      'a second document begins here: a manifest is one document, so put it into a file of its own',
    );
  }
  if (problems.length > 0 || second !== undefined) return null;
  if (first?.contents == null || (isScalar(first.contents) && first.contents.value === null)) {
    findings.error(
      'empty-file',
      { at: source.at(0) },
      'the file is empty: a manifest begins with `apiVersion: tether/v1` and `organization: NAME`',
    );
    return null;
  }
  return new Converter(source, findings).node(first.contents, 0);
}

class Converter {
  #aliased = 0;
  readonly #open = new Set<ParsedNode>();
  /** By name, as they stand so far: an alias means the last anchor above it. */
  readonly #anchors = new Map<string, ParsedNode>();

  constructor(
    readonly source: Source,
    readonly findings: Findings,
  ) {}

  node(node: ParsedNode, depth: number): Node {
    const [start, end] = node.range;
    if (depth > deepest) throw new Refused(start, 'too-deep', tooDeep);
    if (this.#open.size > 0) this.#count(start);
    // Others (`!!omap`, `!!binary`) make values that no manifest has.
    if (node.tag !== undefined && !plainTag.test(node.tag)) {
      throw new Refused(start, 'yaml-syntax', syntaxMessage('TAG_RESOLVE_FAILED'));
    }
    if (isAlias(node)) return this.#alias(node, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    const placed = { at: this.source.at(start), range: [start, end] as const };
    if (isSeq(node)) {
      const items = node.items.map((item) => this.node(item as ParsedNode, depth + 1));
      return { type: 'list', ...placed, items };
    }
    if (isMap(node)) return { type: 'map', ...placed, entries: this.#entries(node, depth) };
    return { type: 'scalar', ...placed, value: node.value as string | number | bigint | boolean | null };
  }

  #count(offset: number): void {
    this.#aliased += 1;
    if (this.#aliased > mostAliased) {
      throw new Refused(
        offset,
        'alias-bomb',
        `the YAML aliases of this file stand for more than ${mostAliased} values: write them out`,
      );
    }
  }

  #alias(node: Alias.Parsed, depth: number): Node {
    const target = this.#anchors.get(node.source);
    if (target === undefined || this.#open.has(target)) {
      throw new Refused(node.range[0], 'yaml-syntax', 'this YAML alias stands inside of what it stands for');
    }
    this.#open.add(target);
    this.#count(node.range[0]);
    const converted = this.node(target, depth);
    this.#open.delete(target);
    return converted;
  }

  #entries(node: YAMLMap.Parsed, depth: number): MapEntry[] {
    const first = new Map<string, MapEntry>();
    for (const pair of node.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const keyAt = this.source.at(pair.key.range[0]);
      const value: Node =
        pair.value === null
          ? { type: 'scalar', at: keyAt, range: [pair.key.range[1], pair.key.range[1]], value: null }
          : this.node(pair.value as ParsedNode, depth + 1);
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, { key, keyAt, value });
        continue;
      }
      this.source.mask(value.range);
      const { line, column } = earlier.keyAt;
      const message = `\`${key}\` stands here a second time, first at ${line}:${column}: keep one of them`;
      this.findings.error('duplicate-key', { at: keyAt, path: key }, message, earlier.keyAt);
    }
    return [...first.values()];
  }
}
