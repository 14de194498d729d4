/** `tether show`: what exists for an address, as the service shows it; changes nothing. */
import { createReadOnlyClient } from '../../client/client';
import { plain } from '../../client/text';
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { type Expectation, foundAll, type Observed, observationOf } from '../../observation/evidence';
import { observe } from '../../observation/observe';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { inspectLedger } from '../../reconciler/ledger/open';
import { ledgerKey } from '../../reconciler/ledger-key';
import { fieldName } from '../../reconciler/render/step';
import { type Colours, coloursFor, prose, type RenderOptions, showValue } from '../../reconciler/render/text';
import {
  definitionOf,
  type FieldValues,
  isReference,
  type ResourceDefinition,
  sameValue,
} from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { registry } from '../../resources/registry';
import { connect } from '../connection';
import { interruptible, UserError } from '../errors';
import type { Call } from '../output';
import { folderOf, inspectOptions, readWorkspace, soundManifests } from '../session';

/** What `show` can be asked for: an object that the ledger holds or the manifests declare. */
interface Target {
  /** By alias where a manifest has one, else by ids. */
  readonly address: string;
  /** Kind and ids for links, else the address. */
  readonly key: string;
  readonly expectation: Expectation;
  /** For an object without a known id: readable fields that tell which one is meant. */
  readonly like?: FieldValues;
}

/** One object that was asked for; `why` says what is known where it could not be seen. */
type Shown = { readonly address: string; readonly kind: string } & (
  | {
      readonly state: 'present';
      readonly id: string;
      readonly values: FieldValues;
      readonly outputs: FieldValues;
    }
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

/** 0 when all that was asked for is there, else 1. */
export async function show(call: Call): Promise<number> {
  const { flags, io, output, args, command } = call;
  const asked = folderOf(args);
  if (registry.some(({ kind }) => asked.startsWith(`${kind}/`))) {
    throw new UserError(`${asked} is an address, not a folder: use --only ${asked}`);
  }
  const { folder, read } = readWorkspace(asked, flags, io);
  const ledger = await inspectLedger(folder, inspectOptions(call));
  // What exists can be shown from the ledger alone, also while the manifests are being edited.
  const manifests = ledger === null ? soundManifests(call, read) : read.manifests;
  const targets = choose(targetsOf(ledger, manifests), flags.only ?? []);
  const api = createReadOnlyClient(connect(call, manifests?.profile ?? null));
  const expected = targets.map((one) => one.expectation);
  const observed = await interruptible(observe(api, { expected, forced: [] }), io.signal);
  const shown = targets.map((target) => shownOf(target, observed));
  const exitCode = shown.every((one) => one.state === 'present') ? 0 : 1;
  output.print(renderShown(shown, output.render));
  output.document({ command, exitCode, objects: shown });
  return exitCode;
}

/** What `--only` names, or everything; throws with all that is unknown at once. */
function choose(targets: readonly Target[], names: readonly string[]): readonly Target[] {
  if (names.length === 0) return targets;
  const known = targets.map((one) => one.address);
  const isNamed = ({ address, key, expectation }: Target, name: string) =>
    [address, key, expectation.id].includes(name);
  const unknown = names.filter((name) => !targets.some((target) => isNamed(target, name)));
  if (unknown.length > 0) {
    const lines = unknown.map(
      (name) => `${name} is neither in the manifests nor in the ledger${suggestAddress(name, known)}`,
    );
    throw new UserError(lines.join('\n'));
  }
  return targets.filter((target) => names.some((name) => isNamed(target, name)));
}

function shownOf({ address, expectation, like }: Target, observed: Observed): Shown {
  const { definition, key } = expectation;
  const base = { address, kind: definition.kind };
  if (like !== undefined) {
    const all = foundAll(observed, definition, key);
    const [only, ...more] = (all ?? []).filter((found) =>
      Object.entries(like).every(([field, value]) => sameValue(found.values[field], value)),
    );
    if (only !== undefined && more.length === 0) return { ...base, state: 'present', ...only };
    if (only !== undefined) {
      const ids = [only, ...more].map((found) => found.id).join(', ');
      return { ...base, state: 'unknown', why: `several objects match: ${ids}` };
    }
    if (all !== null) return { ...base, state: 'missing', why: 'no object matches it' };
  }
  const observation = observationOf(observed, expectation);
  if (observation.state === 'present') return { ...base, state: 'present', ...observation.found };
  const why = observation.state === 'missing' ? 'not found' : observation.why;
  return { ...base, state: observation.state, why };
}

/** Every target once, by the manifests' name where it has one, by address; either source may be missing. */
function targetsOf(ledger: Ledger | null, manifests: Manifests | null): readonly Target[] {
  const organization = manifests?.organization ?? ledger?.organization ?? '';
  const objects = ledger?.objects ?? {};
  const held = Object.entries(objects).map(([key, { kind, values, id }]): Target => {
    return { address: key, key, expectation: expectationOf(kind, organization, values, id) };
  });
  const declared = (manifests?.entries ?? []).flatMap(
    (entry) => declaredTarget(organization, entry, objects) ?? [],
  );
  const targets = new Map([...held, ...declared].map((target) => [target.key, target]));
  return [...targets.values()].sort((one, two) => (one.address < two.address ? -1 : 1));
}

/** Null for a link whose other end has no id yet. */
function declaredTarget(
  organization: string,
  { kind, address, inputs, id: adopted }: DesiredEntry,
  objects: Ledger['objects'],
): Target | null {
  const definition = definitionOf(kind, registry);
  const values: Record<string, FieldValues[string]> = {};
  for (const [field, value] of Object.entries(inputs)) {
    const resolved = isReference(value) ? objects[value.address]?.id : value;
    if (resolved !== undefined) values[field] = resolved;
  }
  const isLink = definition.pair.length > 0;
  if (definition.pair.some((field) => typeof values[field] !== 'string')) return null;
  const key = isLink ? ledgerKey(definition, values) : address;
  const id = objects[key]?.id ?? adopted;
  const expectation = expectationOf(kind, organization, values, id);
  return {
    address,
    key,
    expectation,
    ...(!isLink && id === undefined && { like: likeness(definition, values) }),
  };
}

/** A link is known by its two ids, anything else by its own. */
function expectationOf(
  kind: string,
  organization: string,
  values: FieldValues,
  id: string | undefined,
): Expectation {
  const definition = definitionOf(kind, registry);
  const key: Record<string, string> = { organization };
  for (const field of definition.pair) key[field] = String(values[field]);
  if (definition.pair.length === 0 && id !== undefined) key.id = id;
  return { definition, key, ...(id !== undefined && { id }) };
}

/** Its name and what can never change. */
function likeness({ fields }: ResourceDefinition, values: FieldValues): FieldValues {
  const telling = Object.entries(values).filter(([name]) => {
    const field = fields[name];
    return name === 'name' || (field?.onChange === 'replace' && field.refersTo === undefined);
  });
  return Object.fromEntries(telling);
}

/** One block per object, ending with a line break. */
function renderShown(shown: readonly Shown[], options: RenderOptions): string {
  if (shown.length === 0) return 'Nothing is known here: neither manifests nor ledger name an object.\n';
  const paint = coloursFor(options);
  return `${shown.map((one) => block(one, options, paint)).join('\n\n')}\n`;
}

function block(one: Shown, options: RenderOptions, paint: Colours): string {
  const title = paint.bold(plain(one.address));
  if (one.state !== 'present') {
    return `${title} ${paint.yellow(one.state)}\n    ${prose(one.why, '    ', options)}`;
  }
  const rows = Object.entries({ ...one.values, ...one.outputs }).map(
    ([name, value]) => [fieldName(one.kind, name), value] as const,
  );
  const column = Math.max(2, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `    ${name.padEnd(column)}  ${showValue(value)}`);
  return [title, `    ${'id'.padEnd(column)}  ${plain(one.id)}`, ...lines].join('\n');
}
