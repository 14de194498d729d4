/** Links that name the object at an end by its id: whether that object is there, and stays. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { foundAll } from '../../observation/observe';
import type { ResourceDefinition } from '../../resources/kind';
import type { Context } from './context';

/** What is wrong with an end that no address stands for, as one sentence; null when nothing is, or nobody can tell. */
export function wrongEnd(
  context: Context,
  definition: ResourceDefinition,
  entry: DesiredEntry,
): string | null {
  for (const { id, kind } of endsById(context, definition, entry)) {
    const leaving = leavingKey(context, id);
    if (leaving !== null && !isForgotten(context, leaving)) {
      return `${entry.address} needs ${id}, which is ${leaving} in the ledger, and that is not in the manifests any more: remove this line too, or let the client go with \`forget: [${leaving}]\``;
    }
    const all = foundAll(context.observed, kind, { organization: context.organization });
    const found = all?.find((one) => one.id === id);
    if (all !== null && found === undefined) {
      return `${entry.address} needs ${id}, which does not exist: correct the line, or remove it`;
    }
    const organization = found?.values.organization ?? context.organization;
    if (organization !== context.organization) {
      return `${entry.address} needs ${id}, which belongs to organization ${String(organization)}: correct the line, or remove it`;
    }
  }
  return null;
}

/** The steps that let go of an object at an end of the link, and its links with it: after them the link is to be taken over again. */
export function forgetSteps(
  context: Context,
  definition: ResourceDefinition,
  entry: DesiredEntry,
): readonly string[] {
  return endsById(context, definition, entry).flatMap(({ id }) => {
    const leaving = leavingKey(context, id);
    return leaving !== null && isForgotten(context, leaving) ? [`forget ${leaving}`] : [];
  });
}

function endsById(context: Context, definition: ResourceDefinition, { inputs }: DesiredEntry) {
  return definition.pair.flatMap((field) => {
    const id = inputs[field];
    const kind = context.registry.find((one) => one.kind === definition.fields[field]?.refersTo);
    return typeof id === 'string' && kind !== undefined ? [{ id, kind }] : [];
  });
}

/** The address under which the ledger has an object that no manifest wants, if it has it and this plan lets it go. */
function leavingKey(context: Context, id: string): string | null {
  const held = Object.entries(context.ledger.objects).find(([, object]) => object.id === id);
  if (held === undefined) return null;
  const [key] = held;
  return context.claims.claimedKeys.has(key) ? null : key;
}

function isForgotten(context: Context, key: string): boolean {
  return context.desired.forget.some(({ address }) => address === key);
}
