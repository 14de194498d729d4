/** `tether show`: what exists for an address, as the service shows it; changes nothing. */

import type { ReadApi } from '../../client/api';
import { createReadOnlyClient } from '../../client/client';
import { plain } from '../../client/text';
import type { DesiredEntry, Manifests } from '../../manifest/desired';
import { type Expectation, foundAll, type Observed, observationOf } from '../../observation/evidence';
import { observe } from '../../observation/observe';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { inspectLedger } from '../../reconciler/ledger/open';
import {
  type Colours,
  coloursFor,
  fieldName,
  prose,
  type RenderOptions,
  showValue,
} from '../../reconciler/render/text';
import {
  definitionOf,
  type FieldValues,
  isReference,
  type Key,
  type ResourceDefinition,
  sameValue,
} from '../../resources/kind';
import { suggestAddress } from '../../resources/names';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import { connect } from '../connection';
import { interruptible, UserError } from '../errors';
import type { ShowFlags } from '../flags';
import { folderOf, readWorkspace, soundManifests } from '../session';

/** What `show` can be asked for: an object that the ledger holds or the manifests declare. */
interface Target {
  /** By alias where a manifest has one, else by ids. */
  readonly address: string;
  /** Kind and ids for links, else the address. */
  readonly ledgerKey: string;
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
export async function show(call: Call<ShowFlags>): Promise<number> {
  const { flags, io, output, args, command } = call;
  const asked = folderOf(args);
  if (registry.some(({ kind }) => asked.startsWith(`${kind}/`))) {
    throw new UserError(`${asked} is an address, not a folder: use --only ${asked}`);
  }
  const { folder, read } = readWorkspace(asked, flags, io);
  const ledger = await inspectLedger(folder, {
    cwd: io.cwd,
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note) => output.log('warn', note),
    signal: io.signal,
  });
  // What exists can be shown from the ledger alone, also while the manifests are being edited.
  const manifests = ledger === null ? soundManifests(call, read) : read.manifests;
  const chosen = choose(targetsOf(ledger, manifests), flags.only);
  const api = createReadOnlyClient(connect(call, manifests?.profile ?? null));
  const shown = await interruptible(observeAll(api, chosen), io.signal);
  const exitCode = shown.every((one) => one.state === 'present') ? 0 : 1;
  output.print(renderShown(shown, output.render));
  output.document({ command, exitCode, objects: shown });
  return exitCode;
}

/** What `--only` names, or everything; throws with all that is unknown at once. */
function choose(targets: readonly Target[], names: readonly string[]): readonly Target[] {
  if (names.length === 0) return targets;
  const known = targets.map((one) => one.address);
  const unknown = names.filter((name) => !targets.some((target) => isNamed(target, name)));
  if (unknown.length > 0)
    throw new UserError(
      unknown
        .map((name) => `${name} is neither in the manifests nor in the ledger${suggestAddress(name, known)}`)
        .join('\n'),
    );
  return targets.filter((target) => names.some((name) => isNamed(target, name)));
}

async function observeAll(api: ReadApi, targets: readonly Target[]): Promise<readonly Shown[]> {
  const observed = await observe(api, { expected: targets.map((one) => one.expectation), forced: [] });
  return targets.map((target) => shownOf(target, observed));
}

function shownOf(target: Target, observed: Observed): Shown {
  const { address, expectation, like } = target;
  const base = { address, kind: expectation.definition.kind };
  if (like !== undefined) {
    const all = foundAll(observed, expectation.definition, expectation.key);
    const matches = (all ?? []).filter((found) =>
      Object.entries(like).every(([field, value]) => sameValue(found.values[field], value)),
    );
    const [only] = matches;
    if (only !== undefined && matches.length === 1) return { ...base, state: 'present', ...only };
    if (matches.length > 1) {
      const ids = matches.map((found) => found.id).join(', ');
      return { ...base, state: 'unknown', why: `several objects match: ${ids}` };
    }
    if (all !== null) return { ...base, state: 'missing', why: 'no object matches it' };
  }
  const observation = observationOf(observed, expectation);
  if (observation.state === 'present') return { ...base, state: 'present', ...observation.found };
  const why = observation.state === 'missing' ? 'not found' : observation.why;
  return { ...base, state: observation.state, why };
}

/** Every target once, manifests' names first, in the order of their addresses; either source may be missing. */
function targetsOf(ledger: Ledger | null, manifests: Manifests | null): readonly Target[] {
  const organization = manifests?.organization ?? ledger?.organization ?? '';
  const objects = ledger?.objects ?? {};
  const declared = (manifests?.entries ?? []).flatMap(
    (entry) => declaredTarget(organization, entry, objects) ?? [],
  );
  const held = Object.entries(objects).map(([ledgerKey, { kind, values, id }]): Target => {
    const definition = definitionOf(kind, registry);
    const expectation = { definition, key: keyOf(definition, organization, values, id), id };
    return { address: ledgerKey, ledgerKey, expectation };
  });
  const targets = new Map([...declared, ...held].reverse().map((target) => [target.ledgerKey, target]));
  return [...targets.values()].sort((one, two) => (one.address < two.address ? -1 : 1));
}

/** Null for a link whose other end has no id yet. */
function declaredTarget(
  organization: string,
  entry: DesiredEntry,
  objects: Ledger['objects'],
): Target | null {
  const definition = definitionOf(entry.kind, registry);
  const { kind, pair } = definition;
  const values: Record<string, FieldValues[string]> = {};
  for (const [field, value] of Object.entries(entry.inputs)) {
    const resolved = isReference(value) ? objects[value.address]?.id : value;
    if (resolved !== undefined) values[field] = resolved;
  }
  const ids = pair.map((field) => values[field]);
  if (ids.some((id) => typeof id !== 'string')) return null;
  const ledgerKey = pair.length === 0 ? entry.address : [kind, ...ids].join('/');
  const id = objects[ledgerKey]?.id ?? entry.id;
  const key = keyOf(definition, organization, values, id);
  const expectation = { definition, key, ...(id === undefined ? {} : { id }) };
  const like = pair.length === 0 && id === undefined ? { like: likeness(definition, values) } : {};
  return { address: entry.address, ledgerKey, expectation, ...like };
}

/** A link is known by its two ids, anything else by its own. */
function keyOf(
  { pair }: ResourceDefinition,
  organization: string,
  values: FieldValues,
  id: string | undefined,
): Key {
  const ids = pair.flatMap((field) => {
    const value = values[field];
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  const own = pair.length === 0 && id !== undefined ? { id } : {};
  return { organization, ...Object.fromEntries(ids), ...own };
}

/** Its name and what can never change. */
function likeness({ fields }: ResourceDefinition, values: FieldValues): FieldValues {
  const telling = Object.entries(values).filter(([name]) => {
    const field = fields[name];
    return name === 'name' || (field?.onChange === 'replace' && field.refersTo === undefined);
  });
  return Object.fromEntries(telling);
}

/** True when the text names the target: its address, ledger key or id. */
function isNamed({ address, ledgerKey, expectation }: Target, text: string): boolean {
  return [address, ledgerKey, expectation.id].includes(text);
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
