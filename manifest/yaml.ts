/** YAML or JSON → nodes with their places; mistakes of syntax, and limits that keep a hostile file harmless. */
import {
  type Alias,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type ParsedNode,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';
import type { Position } from '../resources/kind';
import { type Content, Node, Spot } from './node';
import type { Source } from './source';

/** A manifest needs five levels. */
const deepest = 20;
/** Of one file: a mistake of syntax often spoils all lines below. */
const mostSyntax = 20;
/** Nodes that all YAML aliases of a file may stand for together. */
const mostAliased = 10_000;

/** Others, as `!!binary`, make values that no manifest has. */
const plainTag = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

class Refused extends Error {
  constructor(
    readonly offset: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

/** The only document of a text; null after an error. */
export function parseYaml(source: Source): Node | null {
  try {
    const contents = parseDocument(source);
    return contents && new Converter(source).node(contents, '', undefined, 0);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    source.issues.error(error.rule, error.message, source.at(error.offset));
    return null;
  }
}

function parseDocument(source: Source): ParsedNode | null {
  const text = source.text();
  const documents = [
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
  const reported = new Set<number>();
  for (const { code, pos } of problems) {
    const at = source.at(pos[0]);
    if (reported.has(at.line) || reported.size === mostSyntax) continue;
    reported.add(at.line);
    const hasTab = code === 'BAD_INDENT' && /^ *\t/.test(text.slice(pos[0] - at.column + 1));
    source.issues.error('yaml-syntax', syntaxMessage(hasTab ? 'TAB_AS_INDENT' : code), at);
  }
  if (second !== undefined) {
    const message = 'a second document begins here: a manifest is one document, so give it a file of its own';
    throw new Refused(second.range[0], 'several-documents', message);
  }
  if (problems.length > 0) return null;
  const { contents = null } = first ?? {};
  if (contents !== null && !(isScalar(contents) && contents.value === null)) return contents;
  const message =
    'the file is empty: a manifest begins with `apiVersion: tether/v1` and `organization: NAME`';
  throw new Refused(0, 'empty-file', message);
}

class Converter {
  #aliased = 0;
  readonly #open = new Set<ParsedNode>();
  /** By name, as they stand so far: an alias means the last anchor above it. */
  readonly #anchors = new Map<string, ParsedNode>();

  constructor(readonly source: Source) {}

  node(node: ParsedNode, path: string, key: Spot | undefined, depth: number): Node {
    const [start, end] = node.range;
    if (depth > deepest) {
      const message = `nested more than ${deepest} levels deep: this is not a manifest`;
      throw new Refused(start, 'too-deep', message);
    }
    if (this.#open.size > 0) this.#count(start);
    if (node.tag && !plainTag.test(node.tag)) {
      throw new Refused(start, 'yaml-syntax', syntaxMessage('TAG_RESOLVE_FAILED'));
    }
    if (isAlias(node)) return this.#alias(node, path, key, depth);
    if (node.anchor) this.#anchors.set(node.anchor, node);
    return new Node(this.source, [start, end], path, key, this.#content(node, path, depth));
  }

  #content(node: Exclude<ParsedNode, Alias.Parsed>, path: string, depth: number): Content {
    if (isMap(node)) return { members: this.#members(node, path, depth) };
    if (!isSeq(node)) return { value: node.value as NonNullable<Content['value']> };
    const itemOf = (item: unknown, index: number) =>
      this.node(item as ParsedNode, `${path}[${index}]`, undefined, depth + 1);
    return { items: node.items.map(itemOf) };
  }

  #count(offset: number): void {
    this.#aliased += 1;
    if (this.#aliased <= mostAliased) return;
    const message = `the YAML aliases of this file stand for more than ${mostAliased} values: write them out`;
    throw new Refused(offset, 'alias-bomb', message);
  }

  #alias(node: Alias.Parsed, path: string, key: Spot | undefined, depth: number): Node {
    const [start] = node.range;
    const target = this.#anchors.get(node.source);
    if (!target) throw new Refused(start, 'yaml-syntax', syntaxMessage('BAD_ALIAS'));
    if (this.#open.has(target)) {
      throw new Refused(start, 'yaml-syntax', 'this YAML alias stands inside of what it stands for');
    }
    this.#open.add(target);
    this.#count(start);
    const converted = this.node(target, path, key, depth);
    this.#open.delete(target);
    return converted;
  }

  #members(node: YAMLMap.Parsed, path: string, depth: number): Map<string, Node> {
    const members = new Map<string, Node>();
    const firsts = new Map<string, Position>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : '';
      const [start] = key.range;
      const spot = new Spot(this.source, this.source.at(start), path === '' ? name : `${path}.${name}`);
      const member =
        value === null
          ? new Node(this.source, [start, start], spot.path, spot, { value })
          : this.node(value as ParsedNode, spot.path, spot, depth + 1);
      if (spot.reportRepeat(firsts, name, 'duplicate-key', `duplicate key \`${name}\``)) {
        members.set(name, member);
      } else member.hide();
    }
    return members;
  }
}

/** In our words: the parser's quote the text, which may be a secret. */
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
