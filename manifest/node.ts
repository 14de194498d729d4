/** Places and nodes of a manifest, at which its mistakes are reported. */
import type { Position, Registry } from '../resources/kind';
import { characterViolation, idViolation, type Violation } from '../resources/violations';
import { renderPosition } from './issues';
import type { Source } from './source';

/** Where something stands, and what it is called: told when it is asked for, which of most nodes it never is. */
export class Spot {
  /** `parent`: the map or list that it is in; `name`: its key or index there. */
  constructor(
    readonly source: Source,
    readonly offset: number,
    readonly parent?: Spot,
    readonly name: string | number = '',
  ) {}

  get at(): Position {
    return this.source.at(this.offset);
  }

  /** `oauthClients.github.projects[0]`; empty for a document. */
  get path(): string {
    const above = this.parent?.path ?? '';
    if (typeof this.name === 'number') return `${above}[${this.name}]`;
    return above === '' ? this.name : `${above}.${this.name}`;
  }

  error(rule: string, message: string, ...related: readonly Position[]): undefined {
    this.source.issues.add('error', rule, this, message, related);
  }

  /** True for the first of its key; any other is reported with the place of that one. */
  reportRepeat(firsts: Map<string, Spot>, key: string, rule: string, sentence: string): boolean {
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, this);
    else this.errorAfter(first.at, rule, sentence);
    return first === undefined;
  }

  errorAfter(first: Position, rule: string, sentence: string): undefined {
    this.error(rule, `${sentence} (first at ${renderPosition(first)})`, first);
  }

  warning(rule: string, message: string, ...related: readonly Position[]): void {
    this.source.issues.add('warning', rule, this, message, related);
  }

  reportViolation({ rule, subject, problem }: Violation, text: string): undefined {
    this.error(rule, `\`${subject === 'value' ? text : this.path}\` ${problem}`);
  }
}

/** Of a scalar, a list, or a map in the order of the file. */
export interface Content {
  readonly value?: string | number | boolean | null;
  readonly items?: readonly Node[];
  readonly members?: Map<string, Node>;
}

/** Without members, like `Object.create(null)`, of which each one takes three times the memory. */
class Bare {
  [key: string]: unknown;
}
Object.setPrototypeOf(Bare.prototype, null);
delete (Bare.prototype as { constructor?: unknown }).constructor;

export class Node extends Spot {
  #content: Content = {};
  #end = 0;

  /** `keyOffset`: of its key, in a map. */
  constructor(
    source: Source,
    offset: number,
    parent?: Node,
    name?: string | number,
    readonly keyOffset = offset,
  ) {
    super(source, offset, parent, name);
  }

  /** Once what is in it was read, up to `end`. */
  fill(content: Content, end: number): this {
    this.#content = content;
    this.#end = end;
    return this;
  }

  get value(): Content['value'] {
    return this.#content.value;
  }

  get items(): Content['items'] {
    return this.#content.items;
  }

  get members(): Content['members'] {
    return this.#content.members;
  }

  /** In a list, as the node itself. */
  get key(): Spot {
    return new Spot(this.source, this.keyOffset, this.parent, this.name);
  }

  get range(): readonly [number, number] {
    return [this.offset, this.#end];
  }

  reportMissing(name: string, message: string): undefined {
    return new Spot(this.source, this.keyOffset, this, name).error('missing-field', message);
  }

  get(name: string): Node | undefined {
    return this.members?.get(name);
  }

  /** Its string, if all its characters are visible; a bad one is reported. Another type is not: `checkShape` does. */
  text(manyLines = false): string | undefined {
    const { value } = this;
    if (typeof value !== 'string') return undefined;
    const violation = characterViolation(value, manyLines);
    return violation === undefined ? value : this.reportViolation(violation, value);
  }

  /** Its text as the id of such a thing, or an organization's name; a bad one is reported. */
  id(refersTo: string, kinds: Registry): string | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const violation = idViolation(refersTo, text, kinds);
    return violation === undefined ? text : this.reportViolation(violation, text);
  }

  /** For messages: `a list`, `the number 5`. Never the content of a string. */
  describe(): string {
    const { items, members, value } = this;
    if (members !== undefined) return 'a map';
    if (items !== undefined) return 'a list';
    if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
    return value === null ? 'null' : `the ${typeof value} ${value}`;
  }

  /** The values alone, in objects that inherit nothing: any key is only a key. */
  plain(): unknown {
    const { items, members, value } = this;
    if (items !== undefined) return items.map((item) => item.plain());
    if (members === undefined) return value;
    const values = new Bare();
    for (const [key, member] of members) values[key] = member.plain();
    return values;
  }

  /** Keeps it out of every frame: it may hold a secret. */
  hide(): this {
    this.source.mask(this.range);
    return this;
  }
}
