/** The lines that direct something once: `moved`, `forget` and `approved`. Whether one is obsolete only shows against the ledger. */
import type { Position } from '../resources/kind';
import { idViolation } from '../resources/violations';
import { type Approval, approvalLine, endOfMoves, type Manifests } from './desired';
import { place } from './issues';
import { kindInAddress, type ReadAddress, readAddress, type Scope } from './names';
import { approvalForms } from './schema';
import { type Node, readText } from './yaml';

/** Live addresses by where they stand. */
type Live = ReadonlyMap<string, Position>;

type Directives = Pick<Manifests, 'moved' | 'forget' | 'approved'>;

const isNotMoved =
  'is a link, which is its two ends: nothing to move. Change the line, the old link goes with it';
const isNotApproved =
  'needs no approval: it is a link, and goes with its line. Approvals are for destroying or replacing an OAuth client, which unlinks workspaces from their repositories. Remove this one';

/** Reads the directives of all files, given by their top-level members. */
export function readDirectives(
  scope: Scope,
  files: readonly ReadonlyMap<string, Node>[],
  live: Live,
): Directives {
  const linesOf = (section: string) => files.flatMap((members) => members.get(section)?.items ?? []);
  const moves = linesOf('moved').flatMap((line) => readMove(scope, line, live) ?? []);
  const moved = moves.map(({ from, to, at }) => ({ from: from.address, to: to.address, at }));
  for (const { to } of moves) {
    // An older line may go on in a newer one.
    if (live.has(endOfMoves(moved, to.address))) continue;
    scope.issues.error('dangling-address', to, `no manifest declares ${to.address}`);
  }
  const forget = linesOf('forget').flatMap((line) => readForget(scope, line, live) ?? []);
  const approved = linesOf('approved').flatMap((line) => readApproval(scope, line) ?? []);
  refuseRepeats(scope, 'moved', moved, (line) => `from ${line.from}`);
  refuseRepeats(scope, 'moved', moved, (line) => `to ${line.to}`);
  refuseRepeats(scope, 'forget', forget, (line) => `for ${line.address}`);
  refuseRepeats(scope, 'approved', approved, (line) =>
    'serial' in line ? `for ${line.action} at serial ${line.serial}` : `for ${approvalLine(line)}`,
  );
  return { moved, forget, approved };
}

interface Move {
  readonly from: ReadAddress;
  readonly to: ReadAddress;
  readonly at: Position;
}

/** `from` must not be in the manifests. */
function readMove(scope: Scope, { members, at }: Node, live: Live): Move | undefined {
  const ends = [members?.get('from'), members?.get('to')];
  if (ends.some((end) => isLink(scope, end, 'bad-move', isNotMoved))) return undefined;
  const [from, to] = ends.map((end) => readAddress(scope, end));
  if (from === undefined || to === undefined) return undefined;
  const still = live.get(from.address);
  if (from.definition !== to.definition || from.address === to.address) {
    const message = `\`to\` must be another address of the same kind as ${from.address}`;
    scope.issues.error('bad-move', to, message);
  } else if (still !== undefined) {
    const message = `${from.address} is still declared at ${place(still)}: only an address that is no longer declared can have moved`;
    scope.issues.error('bad-move', from, message, still);
  } else return { from, to, at };
  return undefined;
}

/** Tells that a line names a link where only something with a name of its own can stand. */
function isLink({ kinds, issues }: Scope, node: Node | undefined, rule: string, advice: string): boolean {
  if (typeof node?.value !== 'string') return false;
  if (kindInAddress(node.value, kinds)?.section.form !== 'links') return false;
  issues.error(rule, node, `${node.value} ${advice}`);
  return true;
}

/** What is still declared cannot be let go. */
function readForget(scope: Scope, line: Node, live: Live): Directives['forget'][number] | undefined {
  const read = readAddress(scope, line);
  if (read === undefined) return undefined;
  const still = live.get(read.address);
  if (still === undefined) return { address: read.address, at: line.at };
  const message = `${read.address} is still declared at ${place(still)}: remove it there to let it go`;
  scope.issues.error('forget-live', read, message, still);
  return undefined;
}

const forms =
  'one of `destroy` and `replace` with the `id` it is good for, or one of `deletes` and `missing` with the `serial` of the ledger it is good for';

/** Each line names one action and what it is bound to, so that it can approve nothing else later. */
function readApproval(scope: Scope, { members, at, path }: Node): Approval | undefined {
  if (members === undefined) return undefined;
  const [form, ...others] = approvalForms.filter(([action]) => members.has(action));
  const keys = new Set<string>(approvalForms.flat());
  if (form === undefined || others.length > 0 || !members.has(form[1]) || members.size > 2) {
    // Whoever misspelt a key need not be told that it is missing.
    if ([...members.keys()].every((key) => keys.has(key))) {
      scope.issues.error('bad-approval', { at, path }, `\`${path}\` needs ${forms}`);
    }
    return undefined;
  }
  const [action, binding] = form;
  const what = members.get(action);
  if (binding === 'serial') {
    const [count, serial] = [what?.value, members.get(binding)?.value];
    if (!isCount(count, 1) || !isCount(serial, 0)) return undefined;
    return { action, count, serial, at };
  }
  if (isLink(scope, what, 'bad-approval', isNotApproved)) return undefined;
  const read = readAddress(scope, what);
  const id = readText(scope.issues, members.get(binding));
  if (read === undefined || id === undefined) return undefined;
  const violation = idViolation(read.definition.kind, id.value, scope.kinds);
  if (violation === undefined) return { action, address: read.address, id: id.value, at };
  scope.issues.violation(violation, id.value, id);
  return undefined;
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && Number(value) >= least;
}

/** Tells lines that direct the same thing twice. `key` is what may stand only once. */
function refuseRepeats<Line extends { readonly at?: Position }>(
  { issues }: Scope,
  section: string,
  lines: readonly Line[],
  key: (line: Line) => string,
): void {
  const first = new Map<string, Line>();
  for (const line of lines) {
    const earlier = first.get(key(line));
    if (earlier === undefined) first.set(key(line), line);
    else if (line.at !== undefined && earlier.at !== undefined) {
      const message = `\`${section}\` has two lines ${key(line)} (first at ${place(earlier.at)})`;
      issues.error('same-twice', { at: line.at, path: section }, message, earlier.at);
    }
  }
}
