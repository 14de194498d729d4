/** Places and nodes of a manifest, at which its mistakes are reported. */
import type { Position, Registry } from '../resources/kind';
import { characterViolation, idViolation, type Violation } from '../resources/violations';
import { renderPosition } from './issues';
import type { Source } from './source';

/** Where something stands, and what it is called: `oauthClients.github.projects[0]`. */
export class Spot {
  constructor(
    readonly source: Source,
    readonly at: Position,
    readonly path: string,
  ) {}

  error(rule: string, message: string, ...related: readonly Position[]): undefined {
    this.source.issues.add('error', rule, this, message, related);
  }

  /** True for the first of its key; any other is reported with the place of that one. */
  reportRepeat(firsts: Map<string, Position>, key: string, rule: string, sentence: string): boolean {
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, this.at);
    else this.errorAfter(first, rule, sentence);
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

export class Node extends Spot {
  /** In a list, the node itself. */
  readonly key: Spot;
  readonly value: Content['value'];
  readonly items: Content['items'];
  readonly members: Content['members'];

  constructor(
    source: Source,
    readonly range: readonly [number, number],
    path: string,
    key: Spot | undefined,
    { value, items, members }: Content,
  ) {
    super(source, source.at(range[0]), path);
    this.key = key ?? this;
    this.value = value;
    this.items = items;
    this.members = members;
  }

  reportMissing(name: string, message: string): undefined {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    return new Spot(this.source, this.key.at, path).error('missing-field', message);
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

  /** The values alone, in objects without a prototype: any key is only a key. */
  plain(): unknown {
    const { items, members, value } = this;
    if (items !== undefined) return items.map((item) => item.plain());
    if (members === undefined) return value;
    const values: Record<string, unknown> = Object.create(null);
    for (const [key, member] of members) values[key] = member.plain();
    return values;
  }

  /** Keeps it out of every frame: it may hold a secret. */
  hide(): this {
    this.source.mask(this.range);
    return this;
  }
}
