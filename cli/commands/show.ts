/** `tether show`: what exists, as the service shows it; changes nothing. */
import { plain, plainLines } from '../../client/text';
import { hang } from '../../client/wrap';
import type { Manifests } from '../../manifest/desired';
import { type Expectation, foundAll, type Observed, observationOf } from '../../observation/evidence';
import { observe } from '../../observation/observe';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { heldKey, ledgerKey, pairOf, spellings } from '../../reconciler/ledger-key';
import { withPlaces } from '../../reconciler/make-plan';
import { fieldName } from '../../reconciler/render/row';
import { type RenderOptions, type Style, showValue, styleFor } from '../../reconciler/render/text';
import { plainValues, possibleMatches } from '../../resources/diff';
import { definitionOf, type FieldValues } from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import type { Shown } from '../documents';
import { UserError } from '../errors';
import { folderOf, readSession } from '../session';

/** An object that the ledger holds or the manifests declare. */
interface Target extends Expectation {
  /** By alias where a manifest has one, else by ids. */
  address: string;
  heldAs: string;
  /** Of one without a known id: the wanted fields, which tell which object is meant. */
  like?: FieldValues;
}

/** 0 when all that was asked for is there, else 1. */
export async function show(call: Call): Promise<number> {
  const folder = folderOf(call);
  if (registry.some(({ kind }) => folder.startsWith(`${kind}/`))) {
    throw new UserError(`${folder} is an address, not a folder: use --only ${folder}`);
  }
  return readSession(call, async ({ manifests, ledger: { ledger }, api, cache }) => {
    for (const [name, { id, why }] of manifests.named)
      if (id === null) call.log('warn', plain(`${name}: ${why}`));
    const targets = choose(targetsOf(ledger, manifests), call.flags.only ?? []);
    const reading = () => observe(api, { expected: targets, forced: [] }, cache());
    const observed = withPlaces(await call.read('Reading', reading), manifests);
    const objects = targets.map((target) => shownOf(target, observed));
    call.print(renderShown(objects, call.render));
    return call.end(objects.every((one) => one.state === 'present') ? 0 : 1, { objects });
  });
}

/** What `--only` names, or everything. Throws with all that is unknown. */
function choose(targets: readonly Target[], names: readonly string[]): readonly Target[] {
  if (names.length === 0) return targets;
  const known = targets.map((one) => one.address);
  const isNamed = ({ address, heldAs, id }: Target, name: string) => [address, heldAs, id].includes(name);
  const unknown = names.filter((name) => !targets.some((target) => isNamed(target, name)));
  if (unknown.length > 0) {
    const lines = unknown.map(
      (name) => `${name} is neither in the manifests nor in the ledger${suggestAddress(name, known)}`,
    );
    throw new UserError(lines.join('\n'));
  }
  return targets.filter((target) => names.some((name) => isNamed(target, name)));
}

function shownOf(target: Target, observed: Observed): Shown {
  const { address, definition, key, like } = target;
  const base = { address, kind: definition.kind };
  const all = like && foundAll(observed, definition, key);
  if (like && all) {
    const { same, renamed } = possibleMatches(definition, like, all);
    const matches = like.name === undefined ? [...same, ...renamed] : same;
    const [only] = matches;
    if (only === undefined) return { ...base, state: 'missing', why: 'no object matches it' };
    if (matches.length === 1) return { ...base, state: 'present', ...only };
    const ids = matches.map((found) => found.id).join(', ');
    return { ...base, state: 'unknown', why: `several objects match: ${ids}` };
  }
  const observation = observationOf(observed, target);
  if (observation.state === 'present') return { ...base, state: 'present', ...observation.found };
  const why = observation.state === 'missing' ? 'not found' : observation.why;
  return { ...base, state: observation.state, why };
}

/** Each once, by the manifests' name where it has one, in the order of the addresses. */
function targetsOf(ledger: Ledger, manifests: Manifests): readonly Target[] {
  const { organization, entries } = manifests;
  const { objects } = ledger;
  const { addressOf } = spellings(ledger, manifests);
  const held = Object.entries(objects).map(([heldAs, object]): Target => {
    const definition = definitionOf(object.kind, registry);
    const key = { organization, ...heldKey(definition, object) };
    return { address: addressOf(heldAs), heldAs, definition, key, id: object.id };
  });
  const declared = entries.flatMap(({ kind, address, inputs, ...entry }): Target[] => {
    const definition = definitionOf(kind, registry);
    const isLink = definition.pair.length > 0;
    const pair = pairOf(definition, inputs, (other) => objects[other]?.id ?? null);
    // Its other end has no id yet.
    if (Object.keys(pair).length < definition.pair.length) return [];
    const heldAs = isLink ? ledgerKey(definition, pair) : address;
    const id = objects[heldAs]?.id ?? entry.id;
    const isById = !isLink && id !== undefined;
    const key = { organization, ...(isById ? { id } : pair) };
    const target = { address, heldAs, definition, key, ...(id !== undefined && { id }) };
    return [isLink || isById ? target : { ...target, like: plainValues(inputs) }];
  });
  const targets = new Map([...held, ...declared].map((target) => [target.heldAs, target]));
  return [...targets.values()].sort((one, two) => (one.address < two.address ? -1 : 1));
}

function renderShown(shown: readonly Shown[], options: RenderOptions): string {
  if (shown.length === 0) return 'Nothing is known here: neither manifests nor ledger name an object.\n';
  const style = styleFor(options);
  return `${shown.map((one) => block(one, style)).join('\n\n')}\n`;
}

function block(one: Shown, style: Style): string {
  const { paint } = style;
  const title = paint.bold(plain(one.address));
  if (one.state !== 'present') {
    const why = hang('    ', plainLines(one.why), style.width);
    return [`${title} ${paint.yellow(one.state)}`, ...why].join('\n');
  }
  const rows = Object.entries({ ...one.values, ...one.outputs }).map(
    ([name, value]) => [fieldName(one.kind, name), value] as const,
  );
  const column = Math.max(2, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `    ${name.padEnd(column)}  ${showValue(value)}`);
  return [title, `    ${'id'.padEnd(column)}  ${plain(one.id)}`, ...lines].join('\n');
}
