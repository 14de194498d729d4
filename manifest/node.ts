/** Places and nodes of a manifest, at which its mistakes are reported. */
import type { Position, Registry } from '../resources/kind';
import { characterViolation, idViolation, type Violation } from '../resources/violations';
import { renderPosition } from './issues';
import type { Source } from './source';

/** Where something stands, and what it is called. Both are worked out when somebody asks, which is rare. */
export class Spot {
  /** `parent` is the map or list around it, and `name` its key or index in there. */
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

  errorAfter(first: Position, rule: string, sentence: string): undefined {
    this.error(rule, `${sentence} (first at ${renderPosition(first)})`, first);
  }

  /** Returns true for the first spot of a key. Any other is reported with the place of the first. */
  reportRepeat(firsts: Map<string, Spot>, key: string, rule: string, sentence: string): boolean {
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, this);
    else this.errorAfter(first.at, rule, sentence);
    return first === undefined;
  }

  reportViolation({ rule, subject, problem }: Violation, text: string): undefined {
    this.error(rule, `\`${subject === 'value' ? text : this.path}\` ${problem}`);
  }
}

/** What a scalar, a list, or a map in the order of the file holds. */
export interface Content {
  readonly value?: string | number | boolean | null;
  /** A scalar as it is written: a long number keeps its digits. */
  readonly written?: string | undefined;
  readonly items?: readonly Node[];
  readonly members?: Map<string, Node>;
}

export class Node extends Spot {
  value: Content['value'];
  written: Content['written'];
  items: Content['items'];
  members: Content['members'];
  #end = this.offset;

  /** `keyOffset` is where its key begins, in a map. */
  constructor(
    source: Source,
    offset: number,
    parent?: Node,
    name?: string | number,
    readonly keyOffset = offset,
  ) {
    super(source, offset, parent, name);
  }

  /** Called once its content was read, which ends at `end`. */
  fill(content: Content, end: number): this {
    this.#end = end;
    return Object.assign(this, content);
  }

  /** The place of its key; in a list, its own place. */
  get key(): Spot {
    return new Spot(this.source, this.keyOffset, this.parent, this.name);
  }

  get range(): readonly [number, number] {
    return [this.offset, this.#end];
  }

  get(name: string): Node | undefined {
    return this.members?.get(name);
  }

  reportMissing(name: string, message: string): undefined {
    return new Spot(this.source, this.keyOffset, this, name).error('missing-field', message);
  }

  /** Its string. A character that nobody can see is reported; another type is not, because `checkShape` does it. */
  text(manyLines = false): string | undefined {
    const { value } = this;
    if (typeof value !== 'string') return undefined;
    const violation = characterViolation(value, manyLines);
    return violation === undefined ? value : this.reportViolation(violation, value);
  }

  /** Its text as an id of that kind, or as the name of an organization. A bad one is reported. */
  id(refersTo: string, kinds: Registry): string | undefined {
    const text = this.text();
    const violation = text === undefined ? undefined : idViolation(refersTo, text, kinds);
    return violation === undefined ? text : this.reportViolation(violation, text ?? '');
  }

  /** For messages: `a list`, `the number 5`. The content of a string is never shown. */
  describe(): string {
    const { items, members, value, written } = this;
    if (members !== undefined) return 'a map';
    if (items !== undefined) return 'a list';
    if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
    return value === null ? 'null' : `the ${typeof value} ${written}`;
  }

  /** The values alone. `Object.fromEntries` makes a plain member even of `__proto__`. */
  plain(): unknown {
    const { items, members, value } = this;
    if (items !== undefined) return items.map((item) => item.plain());
    if (members === undefined) return value;
    return Object.fromEntries([...members].map(([key, member]) => [key, member.plain()]));
  }

  /** Keeps it out of every frame, because it may hold a secret. */
  hide(): this {
    this.source.mask(this.range);
    return this;
  }
}
