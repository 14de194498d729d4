/** Lines of the manifests that say something wrong, or nothing any more, as only ledger and service show. Pure. */
import { type DesiredEntry, type ExactSet, endOfMoves, type Manifests } from '../../manifest/desired';
import {
  definitionOf,
  type Issue,
  isReference,
  type Position,
  type Registry,
  type ResourceDefinition,
} from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import type { Bindings } from './bindings';
import { allObjects, type Context, canonicalAddress, endText, type NamedById } from './context';
import type { Step } from './plan';
import { type Findings, stepId } from './steps';

/** Links with a reference to the address for each end that is the id of an object with an address here, and what to say of them. */
export function withAddresses(
  { entries, sets }: Pick<Manifests, 'entries' | 'sets'>,
  { byAddress }: Bindings,
  registry: Registry,
): { readonly entries: readonly DesiredEntry[]; readonly byId: ReadonlyMap<DesiredEntry, NamedById> } {
  const owned = [...byAddress].map(([address, { object }]) => ({ address, object }));
  // Manifests themselves know the objects with an `id:` line. The id of an object counts before the id that another one had.
  const addresses = new Map([
    ...owned.flatMap(({ address, object: { replaces, replaced } }) =>
      [replaces, replaced].flatMap((id) => (id === undefined ? [] : [[id, address] as const])),
    ),
    ...owned.map(({ address, object }) => [object.id, address] as const),
  ]);
  const written = entries.map((entry) => withAddressEnds(entry, addresses, registry));
  const firstAt = new Map<string, number>();
  const unchanged = new Set<string>();
  for (const [index, entry] of written.entries()) {
    if (entry === entries[index]) unchanged.add(entry.address);
    if (!firstAt.has(entry.address)) firstAt.set(entry.address, index);
  }
  const byId = new Map<DesiredEntry, NamedById>();
  for (const [index, entry] of written.entries()) {
    const original = entries[index];
    if (original === undefined || entry === original) continue;
    const isRepeated = unchanged.has(entry.address) || firstAt.get(entry.address) !== index;
    byId.set(entry, namedById(original.address, entry, setAround(entry, sets), isRepeated));
  }
  return { entries: written, byId };
}

/** The exact set around an end that has an address: the line belongs into it. */
function setAround(entry: DesiredEntry, sets: readonly ExactSet[]): ExactSet | undefined {
  const owners = Object.values(entry.inputs).flatMap((value) => (isReference(value) ? value.address : []));
  return sets.find(
    ({ kind, fixed }) =>
      kind === entry.kind && Object.values(fixed).some((end) => owners.includes(endText(end))),
  );
}

function namedById(
  original: string,
  { address }: DesiredEntry,
  set: ExactSet | undefined,
  isRepeated: boolean,
): NamedById {
  const rest =
    set !== undefined
      ? `and ${set.label} are an exact set: put it in there, or take it out here`
      : isRepeated
        ? 'and that stands in another line already: keep one of them'
        : 'so write it like that: a replacement gives the client another id';
  return {
    contradicted: set !== undefined || isRepeated,
    message: `${original} is ${address} here, ${rest}`,
  };
}

function withAddressEnds(
  entry: DesiredEntry,
  addresses: ReadonlyMap<string, string>,
  registry: Registry,
): DesiredEntry {
  const { fields, pair } = definitionOf(entry.kind, registry);
  const known = pair.map((field) => {
    const address = addresses.get(String(entry.inputs[field]));
    return address?.startsWith(`${fields[field]?.refersTo}/`) ? { field, address } : null;
  });
  if (known.every((one) => one === null)) return entry;
  const [kind = '', ...shown] = entry.address.split('/');
  const parts = shown.map((part, index) => known[index]?.address.split('/').slice(1).join('/') ?? part);
  const references = known.flatMap((one) => (one ? [[one.field, { address: one.address }] as const] : []));
  return {
    ...entry,
    address: [kind, ...parts].join('/'),
    inputs: { ...entry.inputs, ...Object.fromEntries(references) },
  };
}

/** What is wrong with an end that is an id and has no address, as one sentence; null when nothing is, or nobody can tell. */
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
    const all = allObjects(context, kind);
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
    return leaving !== null && isForgotten(context, leaving) ? [stepId('forget', leaving)] : [];
  });
}

function endsById({ registry }: Context, { fields, pair }: ResourceDefinition, { inputs }: DesiredEntry) {
  return pair.flatMap((field) => {
    const id = inputs[field];
    const kind = registry.find((one) => one.kind === fields[field]?.refersTo);
    return typeof id === 'string' && kind !== undefined ? [{ id, kind }] : [];
  });
}

/** The address under which the ledger has an object that no manifest wants; null where it has none such. */
function leavingKey({ bindings, keyOfId }: Context, id: string): string | null {
  const key = keyOfId.get(id);
  return key === undefined || bindings.boundKeys.has(key) ? null : key;
}

function isForgotten({ desired }: Context, key: string): boolean {
  return desired.forget.some(({ address }) => address === key);
}

/** Warnings for lines that have nothing left to do. `steps`: all of the plan. */
export function checkLines(context: Context, steps: readonly Step[]): Pick<Findings, 'warnings'> {
  const { bindings, desired, options } = context;
  if (options.destroy) return { warnings: [] };
  const forgetting = new Set(
    steps.flatMap(({ reason, address, key }) => (reason === 'told-to-forget' ? [address, key] : [])),
  );
  const deleting = new Set(steps.flatMap(({ action, key }) => (action === 'delete' ? key : [])));
  const approved = new Set(
    steps.flatMap(({ approval, address }) =>
      approval ? `${approval.action} ${address} ${approval.id}` : [],
    ),
  );
  // A replacement that was interrupted goes on without its line, which is obsolete only when the old object is gone.
  const finishing = new Set(
    steps.flatMap(({ reason, objectId }) => (reason === 'replaced' ? [objectId] : [])),
  );
  return {
    warnings: [
      ...desired.moved
        .filter(({ from, to }) => bindings.obsoleteMoves.has(`${from} ${to}`))
        .map(({ from, to, at }) => obsolete(obsoleteMove(context, from, to), at)),
      ...desired.forget
        .filter(
          ({ address }) => !forgetting.has(address) && !forgetting.has(canonicalAddress(context, address)),
        )
        .map(({ address, at }) => obsolete(obsoleteForget(context, deleting, address), at)),
      ...desired.approved.flatMap((line) => {
        // Lines that raise a limit are looked at where the limits are (checks.ts).
        if ('serial' in line || line.at === undefined) return [];
        const { action, address, id, at } = line;
        if (approved.has(`${action} ${address} ${id}`) || finishing.has(id)) return [];
        const done = action === 'destroy' ? 'destroyed' : 'replaced';
        return obsolete(
          `nothing is to be ${done} as ${address} with id ${id}: remove the \`approved\` line`,
          at,
        );
      }),
    ],
  };
}

/** A warning for a line that has nothing left to do. */
export function obsolete(message: string, at: Position): Issue {
  return { rule: 'spent-line', severity: 'warning', message, path: '', at };
}

/** Done, or never of any effect: what the line names may be misspelt, or belong to another ledger. */
function obsoleteMove({ ledger, desired }: Context, from: string, to: string): string {
  const move = `the move from ${from} to ${to}`;
  const isDone = ledger.objects[endOfMoves(desired.moved, to)] !== undefined;
  return isDone
    ? `${move} is done: remove the line`
    : `${move} has nothing to move, the ledger knows neither: correct the line, or remove it`;
}

function obsoleteForget(context: Context, deleting: ReadonlySet<string>, address: string): string {
  const { ledger, bindings, desired } = context;
  const key = canonicalAddress(context, address);
  if (desired.entries.some((entry) => canonicalAddress(context, entry.address) === key)) {
    return `${address} is in the manifests, so it stays: remove the \`forget\` line, or the other one`;
  }
  if (deleting.has(key)) {
    return `${address} is deleted all the same, because an exact set covers it: list it there, or remove the \`forget\` line`;
  }
  const abandoned = Object.keys(ledger.objects).filter((one) => !bindings.boundKeys.has(one));
  return `the ledger does not hold ${address}, or not any more: remove the \`forget\` line${suggestAddress(address, abandoned)}`;
}
