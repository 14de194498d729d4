/** YAML or JSON → nodes with their places; mistakes of syntax, and limits that keep a hostile file harmless. */
import {
  type AliasEvent,
  COLLECTION_STYLE_FLOW,
  CORE_SCHEMA,
  EVENT_ALIAS,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  type Event,
  getScalarValue,
  type MappingEvent,
  NOT_RESOLVED,
  SCALAR_STYLE_LITERAL_BLOCK,
  SCALAR_STYLE_PLAIN,
  type ScalarEvent,
  type SequenceEvent,
  strTag,
} from 'js-yaml';
import { aliasMessage, deepest, eventsOf, Refused, refusedSyntax, tagMessage, tooDeep } from './events';
import { type Content, Node } from './node';
import type { Source } from './source';

/** Nodes that all YAML aliases of a file may stand for together. */
const mostAliased = 10_000;

/** The only document of a text; null after an error. */
export function parseYaml(source: Source): Node | null {
  try {
    const events = eventsOf(source.text());
    if (events instanceof Refused) throw events;
    return new Converter(source, events).document();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    source.issues.error(error.rule, error.message, source.at(error.offset));
    return null;
  }
}

type CollectionEvent = MappingEvent | SequenceEvent;
type NodeEvent = AliasEvent | CollectionEvent | ScalarEvent;

/** Walks the events of one text, in which collections end with a pop. */
class Converter {
  /** Of the next event; the first begins the document. */
  #index = 1;
  /** Offset behind what the latest event was made of. */
  #end = 0;
  #aliased = 0;
  readonly #text: string;
  /** Where what an alias stands for begins, while it is put in its place. */
  readonly #open = new Set<number>();
  /** Of what each alias stands for, by its own index. */
  readonly #targets = new Map<number, number | undefined>();

  constructor(
    readonly source: Source,
    readonly events: readonly Event[],
  ) {
    this.#text = source.text();
    this.#findTargets();
  }

  /** An alias means the last anchor above it, wherever it is put in later. */
  #findTargets(): void {
    const anchors = new Map<string, number>();
    let index = -1;
    for (const event of this.events) {
      index += 1;
      if (!('anchorStart' in event) || event.anchorStart < 0) continue;
      const name = this.#text.slice(event.anchorStart, event.anchorEnd);
      if (event.type !== EVENT_ALIAS) anchors.set(name, index);
      else this.#targets.set(index, anchors.get(name));
    }
  }

  document(): Node {
    const node = this.events.length === 0 ? undefined : this.#node(0);
    if (this.events[this.#index + 1] !== undefined) {
      const message =
        'a second document begins here: a manifest is one document, so give it a file of its own';
      const marker = this.#text.slice(this.#end).search(/^(?:---|\.\.\.)/m);
      throw new Refused(this.#end + Math.max(0, marker), 'several-documents', message);
    }
    if (node !== undefined && node.value !== null) return node;
    const message =
      'the file is empty: a manifest begins with `apiVersion: tether/v1` and `organization: NAME`';
    throw new Refused(0, 'empty-file', message);
  }

  /** `parent`, `name`, `keyOffset`: see `Node`. */
  #node(depth: number, parent?: Node, name?: string | number, keyOffset?: number): Node {
    const event = this.events[this.#index++] as NodeEvent;
    const start = this.#enter(event);
    if (depth > deepest) throw tooDeep(start);
    if (this.#open.size > 0) this.#count(start);
    if (event.type === EVENT_ALIAS) return this.#alias(start, depth, parent, name, keyOffset);
    const node = new Node(this.source, start, parent, name, keyOffset);
    return node.fill(this.#content(event, node, depth), this.#end);
  }

  /** Where the event before the next one starts. Goes to its end, or into the collection. */
  #enter(event: NodeEvent): number {
    if (event.type === EVENT_ALIAS) {
      this.#end = event.anchorEnd;
      return event.anchorStart - 1;
    }
    this.#end = Math.max(this.#end, event.anchorEnd, event.tagEnd);
    if (event.type !== EVENT_SCALAR) {
      this.#end = event.start + (event.style === COLLECTION_STYLE_FLOW ? 1 : 0);
      return event.start;
    }
    const { style, valueStart, valueEnd } = event;
    if (valueStart < 0) return this.#enterNothing();
    const isBlock = style >= SCALAR_STYLE_LITERAL_BLOCK;
    const quote = isBlock || style === SCALAR_STYLE_PLAIN ? 0 : 1;
    const start = isBlock ? this.#headerStart() : valueStart - quote;
    this.#end = valueEnd + quote;
    return start;
  }

  /** Right behind its colon or dash; behind its key where there is none. */
  #enterNothing(): number {
    const next = this.#nextStart(this.#end);
    if (/^[:-]/.test(this.#text.charAt(next))) this.#end = next + 1;
    return this.#end;
  }

  /** Of a block scalar, whose event begins with its first line. */
  #headerStart(): number {
    let start = this.#nextStart(this.#end);
    while (/^[:?-]/.test(this.#text.charAt(start))) start = this.#nextStart(start + 1);
    return start;
  }

  /** Of what is neither white space nor a comment. */
  #nextStart(offset: number): number {
    const blank = /\s*(?:#[^\r\n]*)?/y;
    let end = offset;
    for (let start = -1; start < end; end = blank.lastIndex) {
      start = end;
      blank.lastIndex = start;
      blank.test(this.#text);
    }
    return end;
  }

  #content(event: CollectionEvent | ScalarEvent, node: Node, depth: number): Content {
    const tag = event.tagStart < 0 ? '' : wholeTag(this.#text.slice(event.tagStart, event.tagEnd));
    if (event.type === EVENT_SCALAR) {
      const value = scalarOf(getScalarValue(this.#text, event), tag, event.style === SCALAR_STYLE_PLAIN);
      if (value === NOT_RESOLVED) throw refusedSyntax(event.tagStart, tagMessage);
      return { value: value as NonNullable<Content['value']> };
    }
    const isMap = event.type === EVENT_MAPPING;
    if (tag !== '' && tag !== `${core}${isMap ? 'map' : 'seq'}`)
      throw refusedSyntax(event.tagStart, tagMessage);
    const content = isMap ? { members: this.#members(node, depth) } : { items: this.#items(node, depth) };
    this.#index += 1;
    if (/[[{]/.test(this.#text.charAt(event.start))) this.#end = this.#flowEnd();
    return content;
  }

  /** Behind the bracket, which a pair in a list has not. */
  #flowEnd(): number {
    const next = this.#nextStart(this.#end);
    return (this.#text[next] === ',' ? this.#nextStart(next + 1) : next) + 1;
  }

  /** Whether the collection goes on. */
  #hasNext(): boolean {
    return this.events[this.#index]?.type !== EVENT_POP;
  }

  #items(list: Node, depth: number): Node[] {
    const items: Node[] = [];
    while (this.#hasNext()) items.push(this.#node(depth + 1, list, items.length));
    return items;
  }

  #members(map: Node, depth: number): Map<string, Node> {
    const members = new Map<string, Node>();
    while (this.#hasNext()) {
      const event = this.events[this.#index++] as NodeEvent;
      const start = this.#enter(event);
      if (event.type !== EVENT_SCALAR) throw refusedSyntax(start, 'a key must be a string');
      const name = getScalarValue(this.#text, event);
      const member = this.#node(depth + 1, map, name, start);
      const first = members.get(name);
      if (first === undefined) members.set(name, member);
      else {
        member.hide();
        member.key.errorAfter(first.key.at, 'duplicate-key', `duplicate key \`${name}\``);
      }
    }
    return members;
  }

  #count(offset: number): void {
    this.#aliased += 1;
    if (this.#aliased <= mostAliased) return;
    const message = `the YAML aliases of this file stand for more than ${mostAliased} values: write them out`;
    throw new Refused(offset, 'alias-bomb', message);
  }

  /** What stands at its anchor, once more, with its own places. */
  #alias(start: number, depth: number, ...where: [Node?, (string | number)?, number?]): Node {
    const target = this.#targets.get(this.#index - 1);
    if (target === undefined) throw refusedSyntax(start, aliasMessage);
    if (this.#open.has(target)) {
      throw refusedSyntax(start, 'this YAML alias stands inside of what it stands for');
    }
    this.#open.add(target);
    this.#count(start);
    const [index, end] = [this.#index, this.#end];
    [this.#index, this.#end] = [target, 0];
    const node = this.#node(depth, ...where);
    this.#open.delete(target);
    [this.#index, this.#end] = [index, end];
    return node;
  }
}

const core = 'tag:yaml.org,2002:';

function wholeTag(text: string): string {
  return text.replace(/^!(?:<(.*)>|!(.*))$/, (_, whole = '', name = '') => whole || core + name);
}

function scalarOf(text: string, tag: string, isPlain: boolean): unknown {
  if (tag === '' && isPlain) return CORE_SCHEMA.resolveImplicitScalarTag(text).value;
  const known = tag === '' || tag === '!' ? strTag : CORE_SCHEMA.lookupScalarTag(tag);
  return known === undefined ? NOT_RESOLVED : known.resolve(text, true, tag);
}
