/** The lines that order something once: `moved` and `forget`, and what all such lines share. Whether one is spent only shows against the ledger. */
import type { Position } from '../resources/kind';
import { namesLink, type ReadAddress, readAddress } from './address';
import { endOfMoves } from './desired';
import type { Scoped } from './field-value';
import { place } from './findings';
import type { Node } from './node';
import { readList, readMap, readMembers } from './reading';

/** Live addresses by where they stand. */
export type Live = ReadonlyMap<string, Position>;

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly at: Position;
  readonly toSpot: ReadAddress['spot'];
}

export interface Forget {
  readonly address: string;
  readonly at: Position;
}

const notMoved =
  'is a link, which is its two ends: nothing to move. Change the line, the old link goes with it';

/** Reads `moved:`; `from` must not be in the manifests. Where the moves lead is for `refuseDangling`, which knows all of them. */
export function readMoved(reading: Scoped, node: Node | undefined, live: Live): Move[] {
  const items = node && readList(reading, node, 'moved', '{ from: …, to: … }')?.items;
  return (items ?? []).flatMap((item, index) => {
    const path = `moved[${index}]`;
    const map = readMap(reading, item, path, '{ from: OAuthClient/old, to: OAuthClient/new }');
    if (map === undefined) return [];
    const members = readMembers(reading, map, ['from', 'to'], path);
    const isLink = ['from', 'to'].some((key) =>
      refuseLink(reading, members.get(key)?.value, `${path}.${key}`, 'bad-move', notMoved),
    );
    if (isLink) return [];
    const [from, to] = ['from', 'to'].map((key) => {
      const member = members.get(key);
      if (member !== undefined) return readAddress(reading, member.value, `${path}.${key}`);
      reading.findings.error(
        'missing-field',
        { at: map.at, path: `${path}.${key}` },
        `\`${path}\` needs \`${key}\``,
      );
      return undefined;
    });
    if (from === undefined || to === undefined || !isMove(reading, from, to, live)) return [];
    return [{ from: from.address, to: to.address, at: map.at, toSpot: to.spot }];
  });
}

/** Tells that a line names a link where only something with a name of its own can stand. */
export function refuseLink(
  reading: Scoped,
  node: Node | undefined,
  path: string,
  rule: string,
  advice: string,
): boolean {
  if (node?.type !== 'scalar' || typeof node.value !== 'string') return false;
  if (!namesLink(node.value, reading.kinds)) return false;
  reading.findings.error(rule, { at: node.at, path }, `${node.value} ${advice}`);
  return true;
}

function isMove(reading: Scoped, from: ReadAddress, to: ReadAddress, live: Live): boolean {
  const { findings } = reading;
  if (from.definition !== to.definition || from.address === to.address) {
    findings.error('bad-move', to.spot, `\`to\` must be another address of the same kind as ${from.address}`);
    return false;
  }
  const still = live.get(from.address);
  if (still !== undefined) {
    const message = `${from.address} is still in the manifests, at ${place(still)}: only an address that is gone can have moved`;
    findings.error('bad-move', from.spot, message, still);
  }
  return still === undefined;
}

/** Tells moves that lead nowhere, over however many others: an older line may go on in a newer one. */
export function refuseDangling(reading: Pick<Scoped, 'findings'>, moves: readonly Move[], live: Live): void {
  for (const { to, toSpot } of moves) {
    if (live.has(endOfMoves(moves, to))) continue;
    reading.findings.error('dangling-address', toSpot, `${to} is in no manifest`);
  }
}

/** Reads `forget:`; what is still declared cannot be let go. */
export function readForget(reading: Scoped, node: Node | undefined, live: Live): Forget[] {
  const items = node && readList(reading, node, 'forget', 'OAuthClient/legacy')?.items;
  return (items ?? []).flatMap((item, index) => {
    const read = readAddress(reading, item, `forget[${index}]`);
    if (read === undefined) return [];
    const still = live.get(read.address);
    if (still === undefined) return [{ address: read.address, at: item.at }];
    const message = `${read.address} is still in the manifests, at ${place(still)}: remove it there to let it go`;
    reading.findings.error('forget-live', read.spot, message, still);
    return [];
  });
}

/** Tells lines that order the same thing twice. `key` is what may stand only once. */
export function refuseRepeats<Line extends { readonly at?: Position }>(
  reading: Pick<Scoped, 'findings'>,
  section: string,
  lines: readonly Line[],
  key: (line: Line) => string,
): void {
  const first = new Map<string, Line>();
  for (const line of lines) {
    const earlier = first.get(key(line));
    if (earlier === undefined) first.set(key(line), line);
    else if (line.at !== undefined && earlier.at !== undefined) {
      const message = `\`${section}\` says ${key(line)} a second time, first at ${place(earlier.at)}`;
      reading.findings.error('same-twice', { at: line.at, path: section }, message, earlier.at);
    }
  }
}
