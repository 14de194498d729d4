/** Lines that direct something once: `moved`, `forget` and `approved`. Only the ledger shows whether one is obsolete. */
import { isReference, type ResourceDefinition } from '../resources/kind';
import { addressOf, isId, nameProblem, suggestion } from '../resources/names';
import { type Approval, approvalLine, endOfMoves, type Manifests, nameInAddress } from './desired';
import { renderPosition } from './issues';
import { resolveName, type Scope } from './names';
import type { Node, Spot } from './node';
import { approvalForms } from './schema';

interface ReadAddress {
  definition: ResourceDefinition;
  /** Of a link by alias where one exists. */
  address: string;
  node: Node;
}

/** Undefined after an error. The object itself need not be in a manifest. `noLink`: why a link cannot stand there; `orId`: an id may stand for the name, of what a create left. */
function readAddress(
  scope: Scope,
  node: Node | undefined,
  noLink?: { rule: string; advice: string; orId?: true },
): ReadAddress | undefined {
  const { kinds } = scope;
  const text = node?.text();
  if (node === undefined || text === undefined) return undefined;
  // A YAML alias of a secret that was written out.
  if (node.source.isMasked(node.range)) return node.error('bad-address', 'a secret is not a valid address');
  const wrong = (message: string) =>
    node.error('bad-address', `\`${text}\` is not a valid address: ${message}`);
  const [kind = '', ...parts] = text.split('/');
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) {
    const names = kinds.map((one) => one.kind);
    return wrong(`there is no kind \`${kind}\`${suggestion(kind, names, 'the kinds')}`);
  }
  const { form, ends } = definition.section;
  if (form === 'links' && noLink) return node.error(noLink.rule, `${text} ${noLink.advice}`);
  const shape = form === 'links' ? ends.map((end) => `<${end.singular}>`) : ['<name>'];
  if (parts.length !== shape.length || parts.includes('')) {
    return wrong(`write ${[kind, ...shape].join('/')}`);
  }
  if (form === 'links') {
    const shown = ends.map(({ field }, index) =>
      readEnd(scope, definition.fields[field]?.refersTo ?? '', parts[index] ?? '', node),
    );
    if (shown.includes(undefined)) return undefined;
    return { definition, address: addressOf(definition, shown.join('/')), node };
  }
  const [name = ''] = parts;
  const problem =
    noLink?.orId && isId(name, definition.idPrefix ?? '') ? undefined : nameProblem(name, kinds);
  return problem === undefined ? { definition, address: text, node } : wrong(`\`${name}\` ${problem}`);
}

/** One end in the address of a link. An entry need not be declared any more. */
function readEnd(scope: Scope, refersTo: string, part: string, node: Node): string | undefined {
  const kind = scope.kinds.find((one) => one.kind === refersTo);
  if (!kind) {
    const { value, shown } = resolveName(scope, refersTo, part, node, true) ?? {};
    // It decides what is kept, so nothing is guessed.
    const unknown = isReference(value) && scope.lookups?.get(value.address);
    return unknown ? node.error('unknown-name', `\`${part}\` must be known here: ${unknown.why}`) : shown;
  }
  const owner = scope.adopted.get(part);
  if (owner) return nameInAddress(owner.address);
  const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, scope.kinds);
  return problem === undefined ? part : node.error('bad-address', `\`${part}\` ${problem}`);
}

/** By address: where the first of it stands. */
type Live = ReadonlyMap<string, Spot>;

type Directives = Pick<Manifests, 'moved' | 'forget' | 'approved'>;

/** `declared` is asked only where a line needs it: there may be a hundred thousand. */
export function readDirectives(scope: Scope, declared: () => Live): Directives {
  const linesOf = (section: keyof Directives) =>
    scope.roots.flatMap((root) => root.get(section)?.items ?? []);
  const isNeeded = linesOf('moved').length + linesOf('forget').length > 0;
  const live: Live = isNeeded ? declared() : new Map();
  const firsts = new Map<string, Spot>();
  const refuseRepeat = (line: Node, section: keyof Directives, what: string) =>
    line.reportRepeat(firsts, `${section} ${what}`, 'same-twice', `\`${section}\` has two lines ${what}`);
  const moves = linesOf('moved').flatMap((line) => {
    const move = readMove(scope, line, live);
    if (move === undefined) return [];
    const [from, to] = [move.from.address, move.to.address];
    refuseRepeat(line, 'moved', `from ${from}`);
    refuseRepeat(line, 'moved', `to ${to}`);
    return [{ from, to, at: line.at, node: move.to.node }];
  });
  for (const { to, node } of moves) {
    // An older line may go on in a newer one.
    if (!live.has(endOfMoves(moves, to))) node.error('dangling-address', `no manifest declares ${to}`);
  }
  const forget = linesOf('forget').flatMap((line) => {
    const read = readAddress(scope, line);
    if (read === undefined || refuseLive('forget-live', read, live, 'remove it there to let it go'))
      return [];
    refuseRepeat(line, 'forget', `for ${read.address}`);
    return [{ address: read.address, at: line.at }];
  });
  const approved = linesOf('approved').flatMap((line) => {
    const approval = readApproval(scope, line);
    if (approval === undefined) return [];
    const { action } = approval;
    const what =
      'serial' in approval
        ? `${action} at serial ${approval.serial}${approval.lineage === undefined ? '' : ` of lineage ${approval.lineage}`}`
        : approvalLine(approval);
    refuseRepeat(line, 'approved', `for ${what}`);
    return [{ ...approval, at: line.at }];
  });
  return { moved: moves.map(({ from, to, at }) => ({ from, to, at })), forget, approved };
}

function readMove(scope: Scope, line: Node, live: Live) {
  const advice =
    'is a link, which is its two ends: nothing to move. Change the line, the old link goes with it';
  const ends = [line.get('from'), line.get('to')];
  const [from, to] = ends.map((end) => readAddress(scope, end, { rule: 'bad-move', advice }));
  if (from === undefined || to === undefined) return undefined;
  if (from.definition !== to.definition || from.address === to.address) {
    const message = `\`to\` must be another address of the same kind as ${from.address}`;
    return to.node.error('bad-move', message);
  }
  const rest = 'only an address that is no longer declared can have moved';
  return refuseLive('bad-move', from, live, rest) ? undefined : { from, to };
}

function refuseLive(rule: string, { address, node }: ReadAddress, live: Live, advice: string): boolean {
  const still = live.get(address);
  if (still === undefined) return false;
  node.error(rule, `${address} is still declared at ${renderPosition(still.at)}: ${advice}`, still.at);
  return true;
}

function readApproval(scope: Scope, line: Node): Approval | undefined {
  const { members, path } = line;
  if (members === undefined) return undefined;
  const given = [...members.keys()];
  const [form] = approvalForms.filter(([action]) => members.has(action));
  const isOfForm = (key: string) => form?.some((one) => one === key);
  if (form === undefined || !members.has(form[1]) || !given.every(isOfForm)) {
    const keys = new Set<string>(approvalForms.flat());
    // Whoever misspelt a key need not read that it is missing.
    if (given.some((key) => !keys.has(key))) return undefined;
    const message = `\`${path}\` needs one of \`destroy\` and \`replace\` with the \`id\` it is good for, or one of \`deletes\` and \`missing\` with the \`serial\`, and best the \`lineage\`, of the ledger it is good for`;
    return line.error('bad-approval', message);
  }
  const [action, binding] = form;
  const what = members.get(action);
  if (binding === 'serial') {
    const [count, serial] = [what?.value, members.get(binding)?.value];
    const lineage = members.get('lineage')?.text();
    return typeof count === 'number' && typeof serial === 'number'
      ? { action, count, serial, ...(lineage !== undefined && { lineage }) }
      : undefined;
  }
  const advice =
    'needs no approval: it is a link, and goes with its line. Approvals are for destroying or replacing an OAuth client, which unlinks workspaces from their repositories. Remove this one';
  const read = readAddress(scope, what, { rule: 'bad-approval', advice, orId: true });
  const id = read && members.get(binding)?.id(read.definition.kind, scope.kinds);
  return read && id !== undefined ? { action, address: read.address, id } : undefined;
}
