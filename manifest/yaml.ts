/** Reads YAML or JSON into nodes, and refuses features that no manifest needs. */
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, type Pair, type ParsedNode, Parser } from 'yaml';
import { Node } from './node';
import type { Source } from './source';
import { Refused, syntaxError } from './syntax';

/** The package's composer is recursive, so deeper nesting could exhaust the stack. */
const maxDepth = 100;

/** Returns null after an error. */
export function parseYaml(source: Source): Node | null {
  try {
    const root = new Node(source, 0);
    new Reader().fill(root, parseContents(source.text()));
    return root;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    source.issues.error('yaml-syntax', error.message, source.at(error.offset));
    return null;
  }
}

function parseContents(text: string): ParsedNode | null {
  for (const [pattern, message] of notYaml) {
    const offset = text.search(pattern);
    if (offset >= 0) throw new Refused(offset, message);
  }
  // The package's check of keys is quadratic, and its pretty errors quote the text.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false });
  const [first, second] = [...composer.compose(checkedTokens(text), true, text.length)];
  const failure = first && syntaxError(text, first);
  if (failure) throw failure;
  if (second === undefined) return first?.contents ?? null;
  throw new Refused(second.range[0], 'the file has a second document: move it to a file of its own');
}

const notYaml: readonly (readonly [pattern: RegExp, message: string])[] = [
  [
    /^([<=>|])\1{6}(?:[ \t]|\r?$)/m,
    'the file has a merge conflict: keep the lines of both that you want, and remove the marks',
  ],
  [/\0/, 'here is a NUL character, perhaps because the file was cut off or is UTF-16: remove it'],
];

const commentMessage = 'a comment begins with `#`, also in JSON: `//` and `/*` are not read';

/** Matches unquoted text that was probably meant as a comment. */
export const foreignComment = /^\/(?:\*|\/.*\s)/s;

const tagMessage = 'YAML tags and directives are refused: quote the string';

/** The lexer puts this mark before the text of a scalar. */
const scalarFollows = '\x1f';

/** Refuses deep nesting, which would crash the composer, and features of which it would only warn. */
function* checkedTokens(text: string) {
  const parser = new Parser();
  let isTextOfScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    // The text of a scalar may look like a tag.
    if (!isTextOfScalar && /^[!%]/.test(lexeme)) throw new Refused(offset, tagMessage);
    if (isTextOfScalar && foreignComment.test(lexeme)) throw new Refused(offset, commentMessage);
    isTextOfScalar = !isTextOfScalar && lexeme === scalarFollows;
    yield* parser.next(lexeme);
    // The stack holds the document and the outermost map too.
    if (parser.stack.length > maxDepth + 2) {
      throw new Refused(offset, `this is nested more than ${maxDepth} levels deep`);
    }
  }
  yield* parser.end();
}

/** The limit stops aliases that multiply into more nodes than any manifest needs. */
const maxRepeated = 10_000;

const mergeKeyMessage = 'YAML merge keys (`<<`) are not read: write the lines out';

class Reader {
  readonly #anchors = new Map<string, ParsedNode>();
  /** Keeps what each alias stands for where it is written, because its name may be given again before it is repeated. */
  readonly #targets = new Map<ParsedNode, ParsedNode>();
  #repeated = 0;

  /** `depth` is above 0 inside a node that an alias repeats. */
  fill(node: Node, yaml: ParsedNode | null, depth = 0): void {
    if (isAlias(yaml)) {
      const target = this.#targets.get(yaml) ?? this.#anchored(yaml.source, yaml.range[0]);
      this.#targets.set(yaml, target);
      this.fill(node, target, depth + 1);
      return;
    }
    if (depth > 0) this.#limitRepeats(node, depth);
    else if (yaml?.anchor) this.#anchors.set(yaml.anchor, yaml);
    const below = depth > 0 ? depth + 1 : 0;
    if (isSeq(yaml)) {
      node.items = yaml.items.map((item, index) => {
        const child = new Node(node.source, item.range[0], node, index);
        this.fill(child, item, below);
        return child;
      });
    } else if (isMap(yaml)) node.members = this.#members(node, yaml.items, below);
    else {
      node.value = isScalar(yaml) ? (yaml.value as Node['value']) : null;
      node.sourceText = yaml?.source;
    }
  }

  /** Returns the node with the last anchor of this name above the offset. */
  #anchored(name: string, offset: number): ParsedNode {
    const yaml = this.#anchors.get(name);
    if (yaml !== undefined) return yaml;
    // The name may be a literal secret that begins with an asterisk.
    throw new Refused(offset, 'no anchor above has the name of this alias');
  }

  #limitRepeats({ offset }: Node, depth: number): void {
    this.#repeated += 1;
    if (depth <= maxDepth && this.#repeated <= maxRepeated) return;
    throw new Refused(offset, 'YAML aliases repeat this too often, or inside of itself');
  }

  #members(parent: Node, pairs: readonly Pair<ParsedNode, ParsedNode | null>[], depth: number) {
    const members = new Map<string, Node>();
    for (const { key, value } of pairs) {
      const [start, end] = key.range;
      if (!isScalar(key)) throw new Refused(start, 'a key must be a string');
      if (depth === 0 && key.anchor) this.#anchors.set(key.anchor, key);
      const name = key.source ?? '';
      if (key.type === 'PLAIN' && name === '<<') throw new Refused(start, mergeKeyMessage);
      const node = new Node(parent.source, value?.range[0] ?? end, parent, name, start);
      this.fill(node, value, depth);
      const first = members.get(name);
      if (first === undefined) members.set(name, node);
      else node.key.errorBeside(first.key, 'duplicate-key', `duplicate key \`${name}\`: merge the two`);
    }
    return [...members.values()];
  }
}
