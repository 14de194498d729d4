/** Reads YAML or JSON into nodes with their places. Limits keep a hostile file harmless. */
import {
  type Alias,
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
} from 'yaml';
import { type Content, Node } from './node';
import type { Source } from './source';
import { aliasMessage, Refused, refusedSyntax, syntaxError, tagMessage } from './syntax';

/** A manifest needs five levels; the composer of the package is recursive. */
const deepest = 100;
/** All YAML aliases of a file together may stand for so many nodes. */
const mostAliased = 10_000;

/** Null after an error. */
export function parseYaml(source: Source): Node | null {
  try {
    return new Converter(source).convert(onlyDocument(source.text()));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    source.issues.error(error.rule, error.message, source.at(error.offset));
    return null;
  }
}

function onlyDocument(text: string): ParsedNode {
  const marks = /^<{7}(?:[ \t]|\r?$)/m.exec(text);
  if (marks !== null) {
    const message = 'a merge conflict stands here: take one side, and remove the lines with the marks';
    throw new Refused(marks.index, 'merge-conflict', message);
  }
  // The messages of pretty errors quote the text, which may be a secret.
  const options = { uniqueKeys: false, prettyErrors: false };
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [...composer.compose(checkedTokens(text), true, text.length)];
  const [first, second] = documents;
  const failure = first && syntaxError(text, first);
  if (failure) throw failure;
  if (second !== undefined) {
    const message = 'a second document begins here: a manifest is one document, so give it a file of its own';
    throw new Refused(second.range[0], 'several-documents', message);
  }
  const contents = first?.contents ?? null;
  if (contents !== null && !(isScalar(contents) && contents.value === null)) return contents;
  const message =
    'the file is empty: a manifest begins with `apiVersion: tether/v1` and `organization: NAME`';
  throw new Refused(0, 'empty-file', message);
}

const knownTag = /^!(?:!(?:str|int|float|bool|null|map|seq))?$/;
/** The lexer adds these to what the text holds. */
const [documentBegins, flowEnds, scalarFollows] = ['\x02', '\x18', '\x1f'];

/** Parses the text, but refuses what the composer would not survive, or would only warn of. */
function* checkedTokens(text: string) {
  const parser = new Parser();
  let [offset, lineStart, brackets, indicators, indent] = [0, 0, 0, 0, 0];
  let isScalarNext = false;
  for (const lexeme of new Lexer().lex(text)) {
    const isInside = isScalarNext;
    isScalarNext = false;
    // A scalar may look like anything. What is left is told by its first character, as there are millions in a large file.
    if (!isInside) {
      switch (lexeme[0]) {
        case scalarFollows:
          isScalarNext = true;
          break;
        case '\r':
        case '\n':
          [lineStart, indent, indicators] = [offset + lexeme.length, 0, 0];
          break;
        case ' ':
          if (offset === lineStart) indent = lexeme.length;
          break;
        case '[':
        case '{':
          brackets += 1;
          break;
        case flowEnds:
          brackets = 0;
          break;
        case ']':
        case '}':
          brackets = Math.max(0, brackets - 1);
          break;
        case '-':
        case '?':
        case ':':
          if (brackets === 0 && lexeme.length === 1) indicators += 1;
          break;
        case '!':
          if (!knownTag.test(lexeme)) throw refusedSyntax(offset, tagMessage);
          break;
        case '%':
          throw refusedSyntax(offset, 'a YAML directive (`%…`) has no meaning here: remove it');
      }
    }
    // A block collection is nested by its indentation, or by indicators on one line.
    const depth = brackets > 0 ? brackets : indicators === 0 ? 0 : indent + indicators;
    if (depth > deepest) throw tooDeep(offset);
    const isAdded = !isInside && (lexeme === documentBegins || lexeme === flowEnds || isScalarNext);
    if (!isAdded) offset += lexeme.length;
    yield* parser.next(lexeme);
  }
  yield* parser.end();
}

function tooDeep(offset: number): Refused {
  return new Refused(offset, 'too-deep', `nested more than ${deepest} levels deep: this is not a manifest`);
}

/** Where a node stands; see `Node`. */
type Place = readonly [parent?: Node, name?: string | number, keyOffset?: number];

/** Makes nodes of what the package composed. */
class Converter {
  #depth = 0;
  #aliased = 0;
  /** What YAML aliases stand for, while it is put in their place. */
  readonly #open = new Set<ParsedNode>();
  readonly #anchors = new Map<string, ParsedNode>();
  /** A YAML alias means the last anchor above it, wherever it is repeated later. */
  readonly #targets = new Map<Alias, ParsedNode | undefined>();

  constructor(readonly source: Source) {}

  convert(yaml: ParsedNode, ...place: Place): Node {
    const [start, end] = yaml.range;
    if (this.#open.size > 0) this.#count(start);
    if (isAlias(yaml)) return this.#repeat(yaml, start, place);
    this.#anchor(yaml);
    this.#depth += 1;
    // Brackets stand within indentation, and YAML aliases add up both.
    if (this.#depth > 2 * deepest) throw tooDeep(start);
    const node = new Node(this.source, start, ...place);
    node.fill(this.#content(yaml, node), end);
    this.#depth -= 1;
    return node;
  }

  /** The anchors in what an alias repeats are those of another place. */
  #anchor(yaml: ParsedNode): void {
    if (this.#open.size === 0 && 'anchor' in yaml && yaml.anchor) this.#anchors.set(yaml.anchor, yaml);
  }

  #content(yaml: ParsedNode, node: Node): Content {
    if (isSeq(yaml)) {
      return { items: yaml.items.map((item, index) => this.convert(item as ParsedNode, node, index)) };
    }
    if (isScalar(yaml)) return { value: yaml.value as Content['value'] & {}, written: yaml.source };
    if (!isMap(yaml)) return { value: null };
    const members = new Map<string, Node>();
    for (const { key, value } of yaml.items) {
      const [start, end] = key.range;
      if (!isScalar(key)) throw refusedSyntax(start, 'a key must be a string');
      this.#anchor(key);
      const name = key.source ?? '';
      const member = value
        ? this.convert(value, node, name, start)
        : new Node(this.source, end, node, name, start).fill({ value: null }, end);
      const first = members.get(name);
      if (first === undefined) members.set(name, member);
      else {
        member.hide();
        member.key.errorAfter(first.key.at, 'duplicate-key', `duplicate key \`${name}\``);
      }
    }
    return { members };
  }

  #count(offset: number): void {
    this.#aliased += 1;
    if (this.#aliased <= mostAliased) return;
    const message = `the YAML aliases of this file stand for more than ${mostAliased} values: write them out`;
    throw new Refused(offset, 'alias-bomb', message);
  }

  /** What stands at the anchor, once more, with its own places. */
  #repeat(alias: Alias.Parsed, start: number, place: Place): Node {
    const target = this.#targets.has(alias) ? this.#targets.get(alias) : this.#anchors.get(alias.source);
    this.#targets.set(alias, target);
    if (target === undefined) throw refusedSyntax(start, aliasMessage);
    if (this.#open.has(target)) {
      throw refusedSyntax(start, 'this YAML alias stands inside of what it stands for');
    }
    this.#open.add(target);
    this.#count(start);
    const node = this.convert(target, ...place);
    this.#open.delete(target);
    return node;
  }
}
