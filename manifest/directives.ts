/** Reads `forget` and `approved`: lines that direct something once. Only the ledger shows whether one is obsolete. */
import { isReference } from '../resources/kind';
import { addressOf, isId, nameProblem, suggestion } from '../resources/names';
import { type Approval, approvalLine, type Manifests, nameInAddress } from './desired';
import { renderPosition } from './issues';
import type { Scope } from './names';
import type { Node, Spot } from './node';
import { resolveName } from './references';
import { approvedActions } from './schema';
import type { Link } from './sets';

type Directives = Pick<Manifests, 'forget' | 'approved'>;

export function readDirectives(scope: Scope, links: readonly Link[]): Directives {
  const linesOf = (section: keyof Directives) =>
    scope.roots.flatMap((root) => root.get(section)?.items ?? []);
  const firsts = new Map<string, Spot>();
  const refuseRepeat = (line: Node, section: keyof Directives, what: string) =>
    line.reportRepeat(firsts, `${section} ${what}`, 'same-twice', `\`${section}\` has two lines for ${what}`);
  const forget = linesOf('forget').flatMap((line) => {
    const { address } = readAddress(scope, line) ?? {};
    if (address === undefined) return [];
    const declared =
      scope.addresses.get(address) ?? links.find(({ entry }) => entry.address === address)?.spot;
    if (declared !== undefined) {
      const message = `${address} is still declared at ${renderPosition(declared.at)}: remove it there to let it go`;
      line.error('forget-live', message, declared.at);
    } else refuseRepeat(line, 'forget', address);
    return [{ address, at: line.at }];
  });
  const approved = linesOf('approved').flatMap((line) => {
    const approval = readApproval(scope, line);
    if (approval === undefined) return [];
    refuseRepeat(line, 'approved', approvalLine(approval));
    return [{ ...approval, at: line.at }];
  });
  return { forget, approved };
}

function readApproval(scope: Scope, line: Node): Approval | undefined {
  const { kinds } = scope;
  const keys = [...(line.members?.keys() ?? [])];
  const [action, ...others] = approvedActions.filter((one) => keys.includes(one));
  if (action === undefined || others.length > 0 || !keys.includes('id')) {
    // A wrong type or key was reported, so the missing one need not be.
    if (!keys.every((key) => key === 'id' || approvedActions.some((one) => one === key))) return undefined;
    const message = `\`${line.path}\` needs one of \`destroy\` and \`replace\`, with the \`id\` of the object it is good for`;
    return line.members && line.error('bad-approval', message);
  }
  const node = line.get(action);
  const [named] = String(node?.value).split('/');
  if (kinds.some(({ kind, pair }) => pair.length > 0 && kind === named)) {
    const message = `links need no approval: remove this line. A ${named} is deleted when its own line goes`;
    return node?.error('bad-approval', message);
  }
  const read = readAddress(scope, node);
  const id = read && line.get('id')?.id(read.kind, kinds);
  return read && id !== undefined ? { action, address: read.address, id } : undefined;
}

/** Undefined after an error. The object need not be declared; a link is written by alias or name where there is one. */
function readAddress(scope: Scope, node: Node | undefined): { kind: string; address: string } | undefined {
  const { kinds } = scope;
  const text = node?.text();
  if (node === undefined || text === undefined) return undefined;
  // A YAML alias may repeat a secret that was written out.
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
  const shape = form === 'links' ? ends.map((end) => `<${end.singular}>`) : ['<name>'];
  if (parts.length !== shape.length || parts.includes('')) {
    return wrong(`write ${[kind, ...shape].join('/')}`);
  }
  const owners = form === 'links' ? ends.map(({ field }) => definition.fields[field]?.refersTo) : [kind];
  const shown = owners.map((refersTo = '', index) => {
    const part = parts[index] ?? '';
    const declared = form === 'links' ? scope.adopted.get(part) : undefined;
    return declared ? nameInAddress(declared.address) : readPart(scope, refersTo, part, node);
  });
  return shown.includes(undefined) ? undefined : { kind, address: addressOf(definition, shown.join('/')) };
}

/** One part of an address behind the kind. An entry need not be declared any more, and its id may stand for its name. */
function readPart(scope: Scope, refersTo: string, part: string, node: Node): string | undefined {
  const kind = scope.kinds.find((one) => one.kind === refersTo);
  if (kind !== undefined) {
    const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, scope.kinds);
    return problem === undefined ? part : node.error('bad-address', `\`${part}\` ${problem}`);
  }
  const { value, shown } = resolveName(scope, refersTo, part, node) ?? {};
  const lookup = isReference(value) ? scope.lookups?.get(value.address) : undefined;
  // The line decides what is kept, so nothing is guessed.
  if (lookup === undefined || !('why' in lookup)) return shown;
  return node.error('unknown-name', `\`${part}\` must be known here: ${lookup.why}`);
}
