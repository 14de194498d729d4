/** The tree of a manifest: maps, lists and scalars, each with its place. */
import type { Position } from '../resources/kind';

interface Placed {
  readonly at: Position;
  /** Offsets in the source, for masking. */
  readonly range: readonly [number, number];
}

export interface ScalarNode extends Placed {
  readonly type: 'scalar';
  readonly value: string | number | bigint | boolean | null;
}

export interface ListNode extends Placed {
  readonly type: 'list';
  readonly items: readonly Node[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyAt: Position;
  readonly value: Node;
}

export interface MapNode extends Placed {
  readonly type: 'map';
  /** In the order of the file; each key once. */
  readonly entries: readonly MapEntry[];
}

export type Node = ScalarNode | ListNode | MapNode;

/** What a node is, for messages: `a list`, `the number 5`. Never the content of a text. */
export function describe(node: Node): string {
  if (node.type !== 'scalar') return `a ${node.type}`;
  if (node.value === null) return 'null';
  if (typeof node.value === 'string') return node.value === '' ? 'an empty text' : 'a text';
  return typeof node.value === 'boolean' ? `the boolean ${node.value}` : `the number ${node.value}`;
}

/** True for `null`, `~` and a key without a value. */
export function isNull(node: Node): boolean {
  return node.type === 'scalar' && node.value === null;
}
