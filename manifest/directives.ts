/** Reads `forget` and `approved`: lines that direct something once. Only the ledger shows whether one is obsolete. */
import { isReference, type ResourceDefinition } from '../resources/kind';
import { addressOf, isId, nameProblem, suggestion } from '../resources/names';
import { type Approval, approvalLine, type Manifests, nameInAddress } from './desired';
import { renderPosition } from './issues';
import type { Scope } from './names';
import type { Node, Spot } from './node';
import { resolveName } from './references';
import { approvedActions } from './schema';

type Directives = Pick<Manifests, 'forget' | 'approved'>;

/** `declared` is asked only where a line needs it, because there may be a hundred thousand links. */
export function readDirectives(scope: Scope, declared: () => ReadonlyMap<string, Spot>): Directives {
  const linesOf = (section: keyof Directives) =>
    scope.roots.flatMap((root) => root.get(section)?.items ?? []);
  const firsts = new Map<string, Spot>();
  const refuseRepeat = (line: Node, section: keyof Directives, what: string) =>
    line.reportRepeat(firsts, `${section} ${what}`, 'same-twice', `\`${section}\` has two lines for ${what}`);
  const toForget = linesOf('forget');
  const live = toForget.length === 0 ? new Map<string, Spot>() : declared();
  const forget = toForget.flatMap((line) => {
    const address = readAddress(scope, line)?.address;
    if (address === undefined) return [];
    const still = live.get(address);
    if (still !== undefined) {
      const message = `${address} is still declared at ${renderPosition(still.at)}: remove it there to let it go`;
      line.error('forget-live', message, still.at);
      return [];
    }
    refuseRepeat(line, 'forget', address);
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
  const { members, path } = line;
  if (members === undefined) return undefined;
  const keys = [...members.keys()];
  const [action, ...others] = approvedActions.filter((one) => members.has(one));
  if (action === undefined || others.length > 0 || !members.has('id')) {
    // A misspelt key was reported, so the missing one need not be.
    if (keys.some((key) => key !== 'id' && !approvedActions.some((one) => one === key))) return undefined;
    const message = `\`${path}\` needs one of \`destroy\` and \`replace\`, with the \`id\` of the object it is good for`;
    return line.error('bad-approval', message);
  }
  const node = members.get(action);
  const read = readAddress(scope, node);
  if (read === undefined) return undefined;
  if (read.definition.section.form === 'links') {
    const message = `${read.address} is a link, and links need no approval: remove this line. Removing the link's own line deletes it`;
    return node?.error('bad-approval', message);
  }
  const id = members.get('id')?.id(read.definition.kind, scope.kinds);
  return id === undefined ? undefined : { action, address: read.address, id };
}

interface ReadAddress {
  readonly definition: ResourceDefinition;
  /** A link is written by alias or name where there is one. */
  readonly address: string;
}

/** Undefined after an error. The object itself need not be in a manifest. */
function readAddress(scope: Scope, node: Node | undefined): ReadAddress | undefined {
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
  const [name = ''] = parts;
  if (form === 'map') {
    const problem = isId(name, definition.idPrefix ?? '') ? undefined : nameProblem(name, kinds);
    return problem === undefined ? { definition, address: text } : wrong(`\`${name}\` ${problem}`);
  }
  const shown = ends.map(({ field }, index) =>
    readEnd(scope, definition.fields[field]?.refersTo ?? '', parts[index] ?? '', node),
  );
  return shown.includes(undefined)
    ? undefined
    : { definition, address: addressOf(definition, shown.join('/')) };
}

/** One end in the address of a link. An entry need not be declared any more. */
function readEnd(scope: Scope, refersTo: string, part: string, node: Node): string | undefined {
  const kind = scope.kinds.find((one) => one.kind === refersTo);
  if (kind !== undefined) {
    const owner = scope.adopted.get(part);
    if (owner) return nameInAddress(owner.address);
    const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, scope.kinds);
    return problem === undefined ? part : node.error('bad-address', `\`${part}\` ${problem}`);
  }
  const { value, shown } = resolveName(scope, refersTo, part, node, true) ?? {};
  const lookup = isReference(value) ? scope.lookups?.get(value.address) : undefined;
  // The line decides what is kept, so nothing is guessed.
  if (lookup === undefined || !('why' in lookup)) return shown;
  return node.error('unknown-name', `\`${part}\` must be known here: ${lookup.why}`);
}
