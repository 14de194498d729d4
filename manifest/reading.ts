/** What every reader of a part of a manifest needs, and the small readers that all of them share. */

import type { Position } from '../resources/kind';
import { suggestion } from '../resources/names';
import type { Registry } from '../resources/registry';
import { characterViolation, type Violation } from '../resources/violations';
import type { Findings, Spot } from './findings';
import { describe, isNull, type ListNode, type MapEntry, type MapNode, type Node } from './node';
import type { Source } from './source';

/** One manifest while it is read. */
export interface Reading {
  readonly source: Source;
  readonly findings: Findings;
  readonly kinds: Registry;
}

/** A text with its place. */
export interface Located {
  readonly text: string;
  readonly at: Position;
}

/** The node as a map; undefined and an error for anything else. */
export function readMap(reading: Reading, node: Node, path: string, example: string): MapNode | undefined {
  if (node.type === 'map') return node;
  reading.source.mask(node.range);
  wrongType(reading, node, path, `a map such as \`${example}\``);
  return undefined;
}

/** The node as a list; undefined and an error for anything else. */
export function readList(reading: Reading, node: Node, path: string, example: string): ListNode | undefined {
  if (node.type === 'list') return node;
  if (isNull(node)) {
    const message = `\`${path}\` is null where a list belongs: write [] for none, or leave the line out`;
    reading.findings.error('null-value', { at: node.at, path }, message);
    return undefined;
  }
  wrongType(reading, node, path, `a list such as \`${example.startsWith('[') ? example : `[${example}]`}\``);
  return undefined;
}

/** The node as a text without invisible characters; undefined and an error for anything else. */
export function readText(reading: Reading, node: Node, path: string, manyLines = false): string | undefined {
  if (isNull(node)) {
    const message = `\`${path}\` is null where a text belongs: give a value, or leave the line out`;
    reading.findings.error('null-value', { at: node.at, path }, message);
    return undefined;
  }
  if (node.type !== 'scalar' || typeof node.value !== 'string') {
    const quotes = node.type === 'scalar' ? ': put it in quotes' : '';
    wrongType(reading, node, path, 'a text', quotes);
    return undefined;
  }
  return refuseInvisible(reading, node.value, { at: node.at, path }, manyLines) ? undefined : node.value;
}

/** The node as true or false; undefined and an error for anything else. */
export function readBoolean(reading: Reading, node: Node, path: string): boolean | undefined {
  if (node.type === 'scalar' && typeof node.value === 'boolean') return node.value;
  wrongType(reading, node, path, '`true` or `false`');
  return undefined;
}

/** The node as a whole number from `least`; undefined and an error for anything else. */
export function readCount(reading: Reading, node: Node, path: string, least: number): number | undefined {
  const number = node.type === 'scalar' && typeof node.value === 'bigint' ? Number(node.value) : node;
  const value = typeof number === 'object' && number.type === 'scalar' ? number.value : number;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  wrongType(reading, node, path, `a whole number from ${least}`);
  return undefined;
}

/** Tells a character that cannot be seen; true when there was one. */
export function refuseInvisible(reading: Reading, text: string, spot: Spot, manyLines = false): boolean {
  const violation = characterViolation(text, manyLines);
  if (violation === undefined) return false;
  tellViolation(reading, violation, text, { at: spot.at, path: spot.path.replace(/[^\x20-\x7e]/g, '?') });
  return true;
}

/** Tells what is wrong with a string. */
export function tellViolation(reading: Reading, violation: Violation, text: string, spot: Spot): void {
  const { rule, subject, problem } = violation;
  reading.findings.error(rule, spot, `\`${subject === 'value' ? text : spot.path}\` ${problem}`);
}

/** The members with an allowed key, by key; the others are errors, with the nearest right name. */
export function readMembers(
  reading: Reading,
  map: MapNode,
  allowed: readonly string[],
  path: string,
): ReadonlyMap<string, MapEntry> {
  const members = new Map<string, MapEntry>();
  for (const entry of map.entries) {
    if (allowed.includes(entry.key)) members.set(entry.key, entry);
    else unknownKey(reading, entry, allowed, path);
  }
  return members;
}

function unknownKey(reading: Reading, entry: MapEntry, allowed: readonly string[], path: string): void {
  // A misspelt name may stand before a secret.
  reading.source.mask(entry.value.range);
  const key = entry.key.replace(/[^\x20-\x7e]/g, '?');
  const spot = { at: entry.keyAt, path: join(path, key) };
  if (entry.key === '<<') {
    reading.findings.error(
      'unknown-key',
      spot,
      'YAML merge keys (`<<`) are not part of YAML 1.2: write the lines out',
    );
    return;
  }
  const where = path === '' ? '' : ` in \`${path}\``;
  reading.findings.error(
    'unknown-key',
    spot,
    `unknown key \`${key}\`${where}${suggestion(entry.key, allowed, 'the keys here')}`,
  );
}

/** Tells that something else belongs here. */
export function wrongType(reading: Reading, node: Node, path: string, wanted: string, hint = ''): void {
  if (node.type !== 'scalar') reading.source.mask(node.range);
  const message = `\`${path === '' ? 'the manifest' : path}\` must be ${wanted}, not ${describe(node)}${hint}`;
  reading.findings.error('wrong-type', { at: node.at, path }, message);
}

/** `oauthClients` and `github` → `oauthClients.github`. */
export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
