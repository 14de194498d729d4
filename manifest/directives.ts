/** The lines that direct something once: `moved`, `forget` and `approved`. Whether one is obsolete only shows against the ledger. */
import type { Position, Registry, ResourceDefinition } from '../resources/kind';
import { addressOf, isId, nameProblem, suggestion } from '../resources/names';
import { type Approval, approvalLine, endOfMoves, type Manifests, nameInAddress } from './desired';
import { place, type Spot } from './issues';
import { resolveName, type Scope } from './names';
import { approvalForms } from './schema';
import { type Node, readId, readText } from './yaml';

/** An address as `moved`, `forget` and `approved` write it. */
interface ReadAddress extends Spot {
  readonly definition: ResourceDefinition;
  /** Links by alias where one exists. */
  readonly address: string;
}

/** The kind that an address begins with; undefined when it is none. */
function kindInAddress(text: string, kinds: Registry): ResourceDefinition | undefined {
  const [kind] = text.split('/');
  return kinds.find((one) => one.kind === kind);
}

/** Reads an address; undefined after an error. The object itself need not be in a manifest. */
function readAddress(scope: Scope, node: Node | undefined): ReadAddress | undefined {
  const { issues, kinds } = scope;
  const text = readText(issues, node)?.value;
  if (text === undefined || node === undefined) return undefined;
  const wrong = (message: string) => {
    issues.error('bad-address', node, `\`${text}\` is not a valid address: ${message}`);
    return undefined;
  };
  const [kind = '', ...parts] = text.split('/');
  const definition = kindInAddress(text, kinds);
  if (definition === undefined) {
    const names = kinds.map((one) => one.kind);
    return wrong(`there is no kind \`${kind}\`${suggestion(kind, names, 'the kinds')}`);
  }
  const { form, ends } = definition.section;
  const shape = form === 'links' ? ends.map((end) => `<${end.singular}>`) : ['<name>'];
  if (parts.length !== shape.length || parts.includes('')) {
    return wrong(`write ${[kind, ...shape].join('/')}`);
  }
  const spot = { at: node.at, path: node.path };
  if (form === 'links') {
    const shown = ends.map(({ field }, index) =>
      readEnd(scope, definition.fields[field]?.refersTo ?? '', parts[index] ?? '', spot),
    );
    if (shown.includes(undefined)) return undefined;
    return { definition, address: addressOf(definition, shown.join('/')), ...spot };
  }
  const problem = nameProblem(parts[0] ?? '', kinds);
  return problem === undefined ? { definition, address: text, ...spot } : wrong(`\`${parts[0]}\` ${problem}`);
}

/** One part of the address of a link, by alias where one exists. What belongs to an entry need not be declared any more. */
function readEnd(scope: Scope, refersTo: string, part: string, spot: Spot): string | undefined {
  const kind = scope.kinds.find((one) => one.kind === refersTo);
  if (kind === undefined) return resolveName(scope, refersTo, part, spot)?.shown;
  const owner = scope.adopted.get(part);
  if (owner !== undefined) return nameInAddress(owner.address);
  const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, scope.kinds);
  if (problem === undefined) return part;
  scope.issues.error('bad-address', spot, `\`${part}\` ${problem}`);
  return undefined;
}

/** Live addresses by where they stand. */
type Live = ReadonlyMap<string, Position>;

type Directives = Pick<Manifests, 'moved' | 'forget' | 'approved'>;

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

/** A move; its `from` must not be in the manifests. */
function readMove(scope: Scope, { members, at }: Node, live: Live) {
  const ends = [members?.get('from'), members?.get('to')];
  const advice =
    'is a link, which is its two ends: nothing to move. Change the line, the old link goes with it';
  if (ends.some((end) => isLink(scope, end, 'bad-move', advice))) return undefined;
  const [from, to] = ends.map((end) => readAddress(scope, end));
  if (from === undefined || to === undefined) return undefined;
  if (from.definition !== to.definition || from.address === to.address) {
    const message = `\`to\` must be another address of the same kind as ${from.address}`;
    scope.issues.error('bad-move', to, message);
    return undefined;
  }
  const rest = 'only an address that is no longer declared can have moved';
  return isLive(scope, 'bad-move', from, live, rest) ? undefined : { from, to, at };
}

/** Tells that a line names a link where only something with a name of its own can stand. */
function isLink({ kinds, issues }: Scope, node: Node | undefined, rule: string, advice: string): boolean {
  if (typeof node?.value !== 'string') return false;
  if (kindInAddress(node.value, kinds)?.section.form !== 'links') return false;
  issues.error(rule, node, `${node.value} ${advice}`);
  return true;
}

/** Tells that an address is still declared, and what to do. */
function isLive({ issues }: Scope, rule: string, read: ReadAddress, live: Live, advice: string): boolean {
  const still = live.get(read.address);
  if (still === undefined) return false;
  issues.error(rule, read, `${read.address} is still declared at ${place(still)}: ${advice}`, still);
  return true;
}

/** What is still declared cannot be let go. */
function readForget(scope: Scope, line: Node, live: Live): Directives['forget'][number] | undefined {
  const read = readAddress(scope, line);
  if (read === undefined || isLive(scope, 'forget-live', read, live, 'remove it there to let it go')) {
    return undefined;
  }
  return { address: read.address, at: line.at };
}

/** Each line names one action and what it is bound to, so that it can approve nothing else later. */
function readApproval(scope: Scope, { members, at, path }: Node): Approval | undefined {
  if (members === undefined) return undefined;
  const [form, ...others] = approvalForms.filter(([action]) => members.has(action));
  const keys = new Set<string>(approvalForms.flat());
  if (form === undefined || others.length > 0 || !members.has(form[1]) || members.size > 2) {
    // Whoever misspelt a key need not be told that it is missing.
    if ([...members.keys()].every((key) => keys.has(key))) {
      const message = `\`${path}\` needs one of \`destroy\` and \`replace\` with the \`id\` it is good for, or one of \`deletes\` and \`missing\` with the \`serial\` of the ledger it is good for`;
      scope.issues.error('bad-approval', { at, path }, message);
    }
    return undefined;
  }
  const [action, binding] = form;
  const what = members.get(action);
  if (binding === 'serial') {
    const [count, serial] = [what?.value, members.get(binding)?.value];
    return isCount(count, 1) && isCount(serial, 0) ? { action, count, serial, at } : undefined;
  }
  const advice =
    'needs no approval: it is a link, and goes with its line. Approvals are for destroying or replacing an OAuth client, which unlinks workspaces from their repositories. Remove this one';
  if (isLink(scope, what, 'bad-approval', advice)) return undefined;
  const read = readAddress(scope, what);
  const id = read && readId(scope.issues, scope.kinds, read.definition.kind, members.get(binding));
  return id && { action, address: read.address, id: id.value, at };
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
