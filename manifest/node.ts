/** Nodes of a manifest, at which mistakes are reported. */
import type { Position } from '../resources/kind';
import { characterViolation, idViolation, type Violation } from '../resources/violations';
import { renderPosition } from './issues';
import type { Source } from './source';

export class Node {
  /** A scalar has a value, a list has items, and a map has members. */
  value: string | number | boolean | null | undefined = undefined;
  items: readonly Node[] | undefined = undefined;
  members: readonly Node[] | undefined = undefined;
  /** The text of a scalar. The value of a long number lacks some of its digits. */
  sourceText: string | undefined = undefined;

  #index: ReadonlyMap<unknown, Node> | undefined;

  /** `name` is its key or index in the parent. */
  constructor(
    readonly source: Source,
    readonly offset: number,
    readonly parent?: Node,
    readonly name: string | number = '',
    readonly keyOffset = offset,
  ) {}

  get(name: string): Node | undefined {
    const { members = [] } = this;
    // A hundred thousand lines have small maps, for which an index would take too much memory.
    if (members.length < 50) return members.find((member) => member.name === name);
    this.#index ??= new Map(members.map((member) => [member.name, member]));
    return this.#index.get(name);
  }

  /** The node to report for its key. In a list, this is the node itself. */
  get key(): Node {
    return new Node(this.source, this.keyOffset, this.parent, this.name);
  }

  /** Line and column are computed on request, because few nodes need them. */
  get at(): Position {
    return this.source.at(this.offset);
  }

  /** A path such as `oauthClients.github.projects[0]`. It is empty for a document. */
  get path(): string {
    const above = this.parent?.path ?? '';
    if (typeof this.name === 'number') return `${above}[${this.name}]`;
    return above === '' ? this.name : `${above}.${this.name}`;
  }

  error(rule: string, message: string, ...related: readonly Position[]): undefined {
    this.source.issues.add('error', rule, this, message, related);
  }

  /** Reports a contradiction to another place. */
  errorBeside({ at }: { at: Position }, rule: string, sentence: string): undefined {
    this.error(rule, `${sentence} (see ${renderPosition(at)})`, at);
  }

  reportViolation({ rule, subject, problem }: Violation, text: string): undefined {
    this.error(rule, `\`${subject === 'value' ? text : this.path}\` ${problem}`);
  }

  /** Returns the string, and reports a violation, which is by default an invisible character. */
  text(findViolation: (text: string) => Violation | undefined = characterViolation): string | undefined {
    const { value } = this;
    if (typeof value !== 'string') return undefined;
    const violation = findViolation(value);
    return violation === undefined ? value : this.reportViolation(violation, value);
  }

  /** Returns the id, and reports any value that is not an id of that kind. */
  id(refersTo: string): string | undefined {
    return this.text((text) => characterViolation(text) ?? idViolation(refersTo, text));
  }

  /** Describes the value for a message. A string may be a secret and is not shown. */
  describe(): string {
    const { items, members, value, sourceText } = this;
    if (members !== undefined) return 'a map';
    if (items !== undefined) return 'a list';
    // A value that repeats a literal secret was removed.
    if (value === undefined || typeof value === 'string')
      return value === '' ? 'an empty string' : 'a string';
    return value === null ? 'null' : `the ${typeof value} ${sourceText}`;
  }

  /** No later message or frame shows the content, which may be a secret. */
  clear(): void {
    this.value = undefined;
    this.items = undefined;
    this.members = undefined;
  }

  /** `Object.fromEntries` makes a plain member even of `__proto__`. */
  plain(): unknown {
    if (this.items !== undefined) return this.items.map((item) => item.plain());
    if (this.members === undefined) return this.value;
    return Object.fromEntries(this.members.map((member) => [member.name, member.plain()]));
  }
}
