/** Lines for what exists and neither ledger nor manifests have, or why it gets none. Pure. */
import { nameInAddress } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import type { WritableEntry } from '../../manifest/write';
import { carriedOver, describeMatch, plainValues, possibleMatches } from '../../resources/diff';
import { grouped } from '../../resources/groups';
import {
  type DesiredValues,
  definitionOf,
  type FieldValue,
  type Found,
  isReference,
  type ResourceDefinition,
  setFields,
} from '../../resources/kind';
import { addressOf, isNonce, nameProblem } from '../../resources/names';
import { registry } from '../../resources/registry';
import { stringViolation, violationsAcross } from '../../resources/violations';
import { ledgerKey, pairOf } from '../ledger-key';
import type { MadePlan } from '../make-plan';
import { Context } from '../plan/context';
import type { Plan, Step } from '../plan/plan';
import type { existingOf, Survey } from '../survey';

/** `made` of the manifests as they are; `skipped`: ids of what is gone or of another folder. */
export function draftEntries(
  { plan, inputs }: MadePlan,
  { found, unread }: Survey,
  skipped: ReadonlySet<string>,
) {
  const declared = plan.steps.filter(({ action }) => action === 'adopt').map(adoptedObject);
  const objects = { ...inputs.ledger.objects, ...Object.fromEntries(declared) };
  const ledger = { ...inputs.ledger, objects };
  const context = new Context({ ...inputs, ledger }, {}, registry);
  const { desired, linkEntries, objectEntries, organization, unknownNames } = context;
  const entries: WritableEntry[] = [];
  const leftOut: Plan['unknown'][number][] = [];
  /** `draft` gives the line, or why there is none. */
  const add = (address: string, key: string, draft: () => WritableEntry | string) => {
    const line = desired.forget.find((one) => context.keyOf(one.address) === key);
    const at = line && renderPosition(line.at);
    const drafted = line ? `\`forget\` lets ${line.address} go (${at}): remove it first` : draft();
    if (typeof drafted === 'string') leftOut.push({ address, why: drafted });
    else entries.push(drafted);
  };
  const taken = new Set([
    ...objectEntries.flatMap(({ address, secrets }) => [
      address,
      ...Object.values(secrets).flatMap(Object.values<string>),
    ]),
    ...desired.moved.map(({ from }) => from),
    ...Object.keys({ ...objects, ...ledger.pending }),
  ]);
  const others = Object.values(found).flatMap((some) => some.filter(({ id }) => skipped.has(id)));
  const known = [...Object.values(objects), ...others].map(({ values }) => values);
  const linked = new Set(
    [...linkEntries.map(({ inputs }) => inputs), ...known].flatMap(Object.values<unknown>),
  );
  for (const definition of registry.filter(({ pair }) => pair.length === 0)) {
    for (const one of found[definition.kind] ?? []) {
      const { id, values } = one;
      if (skipped.has(id) || context.keyOfId.has(id) || objectEntries.some((entry) => entry.id === id))
        continue;
      const name = nameOf(String(values.name ?? values.serviceProvider ?? 'client'));
      add(`${definition.kind} ${id}`, addressOf(definition, name), () =>
        draftObject(context, definition, one, { wanted: name, taken, isLinked: linked.has(id) }),
      );
    }
  }
  const bound = [...context.bindings.byAddress].map(([address, { object }]) => [object.id, address] as const);
  // One with its links in `projects:` needs no lines for them.
  const drafted = entries.flatMap(({ id = '', address, inputs }) =>
    Object.values(inputs).some(Array.isArray) ? [] : [[id, address] as const],
  );
  const addresses = new Map([...bound, ...drafted]);
  const wanted = new Set(linkEntries.map(({ address }) => context.keyOf(address)));
  const isEnd = (end: DesiredValues[string] | undefined, id: FieldValue | undefined) =>
    isReference(end) ? end.address === addresses.get(String(id)) : end === id;
  const isUnknown = (end: DesiredValues[string] | undefined) =>
    isReference(end) && unknownNames.has(end.address);
  for (const definition of registry.filter(({ pair }) => pair.length > 0)) {
    const { kind, pair, fields, section } = definition;
    const owners = pair.filter((end) => registry.some((one) => one.kind === fields[end]?.refersTo));
    const pairs = grouped((found[kind] ?? []).map((one) => [ledgerKey(definition, one.values), one]));
    for (const [key, [oldest]] of pairs) {
      if (oldest === undefined || skipped.has(oldest.id) || key in objects || wanted.has(key)) continue;
      const { id, values, outputs } = oldest;
      if (owners.some((end) => !addresses.has(String(values[end])))) continue;
      // A single line: a list may hide links from this token, which an exact set would delete under another.
      add(context.addressOf(key), key, () => {
        const lists = definition.listedIn({ ...pairOf(definition, values), organization });
        const unseen = unread.filter(({ owner }) => lists.some((list) => list.owner === owner));
        if (unseen.length > 0) {
          const names = section.ends.map((end) => outputs[end.nameOutput ?? ''] ?? 'unknown').join(' ← ');
          const whose = unseen.map(({ owner }) => owner).join(' and ');
          return `${id} (${names}) is there, but ${whose} cannot be read, so a plan that looks there would not see it`;
        }
        const line = linkEntries.find(
          ({ kind: its, inputs }) =>
            its === kind && pair.every((end) => isEnd(inputs[end], values[end]) || isUnknown(inputs[end])),
        );
        if (line !== undefined) {
          return `${line.address} (${renderPosition(line.at)}) may mean ${id}: say what its names mean, and export again`;
        }
        const set = desired.sets.find(
          ({ kind: its, fixed }) => its === kind && pair.some((end) => isEnd(fixed[end], values[end])),
        );
        if (set !== undefined) {
          return `${set.label} are an exact set without it (${renderPosition(set.at)}): list it there, or the next apply deletes it`;
        }
        const toAddress = owners.map((end) => [end, { address: addresses.get(String(values[end])) ?? '' }]);
        const inputs = { ...values, ...Object.fromEntries(toAddress) };
        return definition.check?.(values)[0]?.message ?? { kind, address: key, inputs };
      });
    }
  }
  return { entries, leftOut };
}

/** What `pulumi import --file` reads, or why it is not there: names are as stable as those of the objects. Pure. */
export function draftImports(unmanaged: ReturnType<typeof existingOf>['unmanaged']) {
  const leftOut: Plan['unknown'][number][] = [];
  const listed = new Set<unknown>();
  const known = new Map<string, string>();
  const taken = new Set<string>();
  const resources: { readonly type: string; readonly name: string; readonly id: string }[] = [];
  for (const { kind, objectId: id, values, outputs } of unmanaged) {
    const definition = definitionOf(kind, registry);
    const { pair, edge, section } = definition;
    const owner = setFields(registry).find((set) => set.kind === kind)?.end ?? '';
    const key = pair.length === 0 ? id : ledgerKey(definition, values);
    // Its import has them all.
    if (listed.has(values[owner])) continue;
    if (listed.has(key)) leftOut.push({ address: id, why: 'another one of that pair is older' });
    else if (isNonce(values.name)) leftOut.push({ address: id, why: unfinished });
    else {
      const endName = (end: string) => {
        const { nameOutput = '' } = section.ends.find(({ field }) => field === end) ?? {};
        const of = String(values[end]);
        return known.get(of) ?? (wordsOf(String(outputs[nameOutput] ?? '')) || of);
      };
      const own = wordsOf(String(values.name ?? values.serviceProvider ?? '')) || 'client';
      const ends = edge ? [edge.from, 'to', edge.to] : pair;
      const wanted =
        pair.length === 0 ? own : ends.map((end) => (end === 'to' ? end : endName(end))).join('-');
      const name = takeFree((more) => (more ? `${wanted}-${more}` : wanted), taken);
      known.set(id, name);
      listed.add(id).add(key);
      resources.push({ type: `tether:index:${kind}`, name, id });
    }
  }
  return { resources, leftOut };
}

/** What the ledger holds once an adoption that changes nothing is done, by its key. */
export function adoptedObject(step: Step) {
  const { key, kind, objectId: id = '', file, protect, managed, unverified = [] } = step;
  const object = { kind, id, file, values: plainValues(managed), digests: {}, protect };
  return [key, unverified.length === 0 ? object : { ...object, unverified }] as const;
}

/**
 * With `id:`, so that it is found again whatever becomes of the ledger. It has a secret only where it must not be without, else a
 * comment. `taken`: addresses and variables. `isLinked`: lines or ledgers have some of its projects, so that it gets no exact set.
 */
function draftObject(
  context: Context,
  definition: ResourceDefinition,
  one: Found,
  { wanted, taken, isLinked }: { wanted: string; taken: Set<string>; isLinked: boolean },
): WritableEntry | string {
  const { bindings, desired, objectEntries } = context;
  const { id, values } = one;
  const mayMean = objectEntries.find((entry) => {
    const { same, renamed } = possibleMatches(definition, plainValues(entry.inputs), [one]);
    return !bindings.byAddress.has(entry.address) && same.length + renamed.length > 0;
  });
  if (mayMean !== undefined) {
    return `${mayMean.address} (${renderPosition(mayMean.at)}) may mean it: add \`id: ${id}\` there if it does, or write an entry for it`;
  }
  if (isNonce(values.name)) {
    return unfinished;
  }
  const fields = Object.entries(definition.fields);
  const isSaid = ([, value]: [string, FieldValue]) =>
    !Array.isArray(value) || (!isLinked && value.length > 0);
  const inputs = Object.fromEntries(Object.entries(carriedOver(definition, values)).filter(isSaid));
  for (const [name, field] of fields) {
    const value = field.refersTo === undefined ? inputs[name] : undefined;
    const violation = typeof value === 'string' ? stringViolation(field, value, desired.profile) : undefined;
    if (violation !== undefined) return `its ${name} ${violation.problem}`;
  }
  const violationWith = (secrets: readonly string[]) =>
    violationsAcross(definition, inputs, new Set([...Object.keys(inputs), ...secrets]), desired.profile)[0]
      ?.message;
  const writable = fields.flatMap(([name, { writeOnly }]) => (writeOnly ? [name] : []));
  const needed = [[], ...writable.map((name) => [name])].find((some) => violationWith(some) === undefined);
  if (needed === undefined) return violationWith([]) ?? '';
  const address = takeFree((more) => addressOf(definition, more ? `${wanted}-${more}` : wanted), taken);
  const sourceOf = (field: string) => {
    const words = `${nameInAddress(address)}-${field.replace(/[A-Z]/g, '-$&')}`.replace(/^(?=\d)/, '_');
    return { fromEnv: takeFree((more) => words.toUpperCase().replaceAll('-', '_') + more, taken) };
  };
  const others = writable.filter(
    (field) => !needed.includes(field) && violationWith([...needed, field]) === undefined,
  );
  const comments = others.map((field) => `${field}: { fromEnv: ${sourceOf(field).fromEnv} }`);
  return {
    ...{ kind: definition.kind, address, id, inputs },
    secrets: Object.fromEntries(needed.map((field) => [field, sourceOf(field)])),
    comment: [describeMatch(one).replace(`${id}, `, ''), ...comments].join('\n'),
  };
}

const unfinished = 'an interrupted create left it under a temporary name: finish that apply, or delete it';

/** Any text as a name that has not the form of an id. */
function nameOf(text: string): string {
  const name = wordsOf(text) || 'client';
  return nameProblem(name, registry) === undefined ? name : `client-${name}`;
}

/** Its letters and digits, with dashes between words; empty for none. */
function wordsOf(text: string): string {
  const letters = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    // Services put no limit on a name.
    .slice(0, 60);
  return letters.replace(/^-|-$/g, '');
}

/** What it makes of '', else of the first number that gives something free. */
function takeFree(make: (number: string) => string, taken: Set<string>): string {
  let free = make('');
  for (let more = 2; taken.has(free); more += 1) free = make(String(more));
  taken.add(free);
  return free;
}
