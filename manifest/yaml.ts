/** YAML or JSON text → nodes with their places, with every mistake of syntax and the limits that keep a hostile file harmless. */
import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';
import type { Registry } from '../resources/kind';
import { characterViolation, idViolation } from '../resources/violations';
import type { IssueList, Spot } from './issues';
import type { Source } from './source';

/** A map, a list or a scalar. Its `path` is as in messages: `oauthClients.github.projects[0]`. */
export interface Node extends Spot {
  readonly source: Source;
  /** Offsets in the source. */
  readonly range: readonly [number, number];
  /** Where its key stands; in a list, where it stands itself. */
  readonly key: Spot;
  /** Of a scalar; undefined for a map and a list. */
  readonly value?: string | number | boolean | null;
  readonly items?: readonly Node[];
  /** Of a map, by key, in the order of the file. */
  readonly members?: ReadonlyMap<string, Node>;
}

/** A node that is a string. */
export type TextNode = Node & { readonly value: string };

/** The node as a string of visible characters; undefined where it is missing or something else, which was told. */
export function readText(issues: IssueList, node: Node | undefined, manyLines = false): TextNode | undefined {
  const isText = (one: Node): one is TextNode => typeof one.value === 'string';
  if (node === undefined || !isText(node)) return undefined;
  const violation = characterViolation(node.value, manyLines);
  if (violation !== undefined) issues.violation(violation, node.value, node);
  return violation === undefined ? node : undefined;
}

/** The node as the id of such a thing, or the name of an organization; undefined where it is not, which was told. */
export function readId(
  issues: IssueList,
  kinds: Registry,
  refersTo: string,
  node: Node | undefined,
): TextNode | undefined {
  const text = readText(issues, node);
  const violation = text && idViolation(refersTo, text.value, kinds);
  if (violation) issues.violation(violation, text.value, text);
  return violation ? undefined : text;
}

/** For messages: `a list`, `the number 5`. Never the content of a string. */
export function describeNode({ items, members, value }: Node): string {
  if (members !== undefined) return 'a map';
  if (items !== undefined) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return value === null ? 'null' : `the ${typeof value} ${value}`;
}

/** The values alone but for those of `skipped` nodes, in objects without a prototype: any key is only a key. */
export function plainValue(node: Node, skipped: ReadonlySet<Node>): unknown {
  if (node.items !== undefined) return node.items.map((item) => plainValue(item, skipped));
  if (node.members === undefined) return node.value;
  const members: Record<string, unknown> = Object.create(null);
  for (const [key, member] of node.members) {
    if (!skipped.has(member)) members[key] = plainValue(member, skipped);
  }
  return members;
}

/** Keeps a node out of every frame: it may hold a secret. */
export function hide(node: Node): void {
  node.source.mask(node.range);
}

/** A manifest needs five levels. */
const deepest = 20;
/** How many mistakes of syntax are told of one file: one often makes all lines below it wrong. */
const mostSyntax = 20;
/** How many nodes all YAML aliases of a file may stand for together. */
const mostAliased = 10_000;

/** Others (`!!omap`, `!!binary`) make values that no manifest has. */
const plainTag = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

const tooDeep = `nested more than ${deepest} levels deep: this is not a manifest`;

class Refused extends Error {
  constructor(
    readonly offset: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

/** The only document of a text; null after a mistake of syntax or for an empty file, which is told. */
export function parseYaml(source: Source, issues: IssueList): Node | null {
  try {
    const contents = parseDocument(source, issues);
    return contents && new Converter(source, issues).node(contents, '', undefined, 0);
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof RangeError)) throw error;
    const { offset, rule, message } = error instanceof Refused ? error : new Refused(0, 'too-deep', tooDeep);
    issues.error(rule, { at: source.at(offset) }, message);
    return null;
  }
}

function parseDocument(source: Source, issues: IssueList): ParsedNode | null {
  const text = source.text();
  const documents: Document.Parsed[] = [
    ...parseAllDocuments(text, {
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
  for (const { code, pos } of problems) {
    const at = source.at(pos[0]);
    if (told.has(at.line) || told.size === mostSyntax) continue;
    told.add(at.line);
    const hasTab = code === 'BAD_INDENT' && /^[ ]*\t/.test(text.slice(pos[0] - at.column + 1));
    issues.error('yaml-syntax', { at }, syntaxMessage(hasTab ? 'TAB_AS_INDENT' : code));
  }
  if (second !== undefined) {
    const message = 'a second document begins here: a manifest is one document, so give it a file of its own';
    issues.error('several-documents', { at: source.at(second.range[0]) }, message);
  }
  if (problems.length > 0 || second !== undefined) return null;
  if (first?.contents != null && !(isScalar(first.contents) && first.contents.value === null)) {
    return first.contents;
  }
  const message =
    'the file is empty: a manifest begins with `apiVersion: tether/v1` and `organization: NAME`';
  issues.error('empty-file', { at: source.at(0) }, message);
  return null;
}

class Converter {
  #aliased = 0;
  readonly #open = new Set<ParsedNode>();
  /** By name, as they stand so far: an alias means the last anchor above it. */
  readonly #anchors = new Map<string, ParsedNode>();

  constructor(
    readonly source: Source,
    readonly issues: IssueList,
  ) {}

  node(node: ParsedNode, path: string, key: Spot | undefined, depth: number): Node {
    const [start, end] = node.range;
    if (depth > deepest) throw new Refused(start, 'too-deep', tooDeep);
    if (this.#open.size > 0) this.#count(start);
    if (node.tag !== undefined && !plainTag.test(node.tag)) {
      throw new Refused(start, 'yaml-syntax', syntaxMessage('TAG_RESOLVE_FAILED'));
    }
    if (isAlias(node)) return this.#alias(node, path, key, depth);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    const spot = { at: this.source.at(start), path };
    const placed = { ...spot, source: this.source, range: [start, end] as const, key: key ?? spot };
    if (isMap(node)) return { ...placed, members: this.#members(node, path, depth) };
    if (!isSeq(node)) return { ...placed, value: node.value as Exclude<Node['value'], undefined> };
    const items = node.items.map((item, index) =>
      this.node(item as ParsedNode, `${path}[${index}]`, undefined, depth + 1),
    );
    return { ...placed, items };
  }

  #count(offset: number): void {
    this.#aliased += 1;
    if (this.#aliased <= mostAliased) return;
    const message = `the YAML aliases of this file stand for more than ${mostAliased} values: write them out`;
    throw new Refused(offset, 'alias-bomb', message);
  }

  #alias(node: Alias.Parsed, path: string, key: Spot | undefined, depth: number): Node {
    const target = this.#anchors.get(node.source);
    if (target === undefined || this.#open.has(target)) {
      throw new Refused(node.range[0], 'yaml-syntax', 'this YAML alias stands inside of what it stands for');
    }
    this.#open.add(target);
    this.#count(node.range[0]);
    const converted = this.node(target, path, key, depth);
    this.#open.delete(target);
    return converted;
  }

  #members(node: YAMLMap.Parsed, path: string, depth: number): ReadonlyMap<string, Node> {
    const members = new Map<string, Node>();
    for (const pair of node.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '';
      const [start, end] = pair.key.range;
      const key = { at: this.source.at(start), path: path === '' ? name : `${path}.${name}` };
      const value: Node =
        pair.value === null
          ? { ...key, source: this.source, range: [end, end], key, value: null }
          : this.node(pair.value as ParsedNode, key.path, key, depth + 1);
      const earlier = members.get(name)?.key.at;
      if (earlier === undefined) members.set(name, value);
      else {
        hide(value);
        const message = `duplicate key \`${name}\` (first at ${earlier.line}:${earlier.column})`;
        this.issues.error('duplicate-key', key, message, earlier);
      }
    }
    return members;
  }
}

/** In our words: the parser's own messages quote the text, which may be a secret. */
const syntaxMessages: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS:
    'a YAML alias (`*name`) for which there is no anchor (`&name`) above it; quote a string that begins with `*`',
  BAD_DQ_ESCAPE: 'an escape that YAML does not know: write `\\\\` for a backslash, or use single quotes',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_SCALAR_START: 'a string cannot begin with this character: quote it',
  BAD_DIRECTIVE: 'a YAML directive is not right here',
  BLOCK_AS_IMPLICIT_KEY:
    'a key and its value must not be followed by another colon on the same line: use quotes, or a line of its own',
  BLOCK_IN_FLOW: 'this form is not possible between brackets',
  KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
  MISSING_CHAR:
    'a character is missing: a closing quote or bracket, a comma, a colon, or the space after one',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line, followed by a colon',
  NON_STRING_KEY: 'a key must be a string',
  RESOURCE_EXHAUSTION: 'it is nested too deep',
  TAB_AS_INDENT: 'a tab cannot indent YAML: use spaces',
  TAG_RESOLVE_FAILED:
    'a YAML tag (`!name`) has no meaning here: remove it, or quote a string that begins with `!`',
  UNEXPECTED_TOKEN: 'this does not belong here: check the indentation, quotes and brackets above',
};

function syntaxMessage(code: ErrorCode): string {
  return `not valid YAML: ${syntaxMessages[code] ?? 'it cannot be understood from here on'}`;
}
