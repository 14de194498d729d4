/** One digest over everything that decides what a plan would write, so that a reviewed plan can be named later. Pure. */
import { createHash } from 'node:crypto';
import type { Manifests } from '../manifest/desired';
import type { Plan, Step } from './plan/plan';

export interface DigestedPlan {
  readonly plan: Plan;
  /** What it was made from: the profile counts, by name and content. */
  readonly manifests: Manifests;
  readonly address: string;
}

/**
 * 16 hexadecimal digits of a SHA-256. Equal exactly where the same would be written to the same service: in which file a line
 * stands, why a step is there and the ledger's serial don't count, what it is known to risk does; of a secret its reference counts,
 * never its value.
 */
export function planDigest({ plan, manifests, address }: DigestedPlan): string {
  const { profileName, profile } = manifests;
  const { organization, steps, blockers } = plan;
  // What stops an apply counts too: a plan that was reviewed as one that writes nothing stays one.
  const stops = blockers.map(({ code, address: of = '' }) => `${code} ${of}`);
  const about = canonical({ address, blockers: stops, organization, profile, profileName });
  // The last member by name, and too long for one text.
  const hash = createHash('sha256').update(`${about.slice(0, -1)},"steps":[`);
  const byId = new Map(steps.map((step) => [step.id, step]));
  let text = '';
  let comma = '';
  // Without a function that compares, which takes twice the time.
  for (const id of [...byId.keys()].sort()) {
    const step = byId.get(id);
    if (step !== undefined) text += comma + membersOf(step, written(step));
    comma = ',';
    if (text.length < mostAtOnce) continue;
    hash.update(text);
    text = '';
  }
  return hash.update(`${text}]}`).digest('hex').slice(0, 16);
}

/** Characters: each call of the hash costs as much as some hundred of them. */
const mostAtOnce = 65_536;

/** What counts in place of these members. Whether a secret changed is known only where its value is at hand; that it is written stands in `secrets`. */
function written({ changes }: Step): Members {
  if (changes.length === 0) return uncounted;
  const known = changes.filter((change) => change.secret === undefined);
  return { ...uncounted, changes: known.map(({ baseline, conflict, ...change }) => change) };
}

const uncounted = { because: undefined, reason: undefined, file: undefined };

type Members = Readonly<Record<string, unknown>>;

/** JSON with sorted keys. Lists of texts are sets in this API, and no order of theirs means anything. */
function canonical(value: unknown): string {
  if (typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const isSet = value.every((one) => typeof one === 'string');
    return `[${(isSet ? value.toSorted() : value).map(canonical).join(',')}]`;
  }
  return membersOf(value);
}

/** `instead`: values that count in place of the object's own; undefined for none. */
function membersOf(value: object, instead: Members = {}): string {
  const members = value as Members;
  let text = '';
  for (const { name, lead } of sortedNames(Object.keys(members))) {
    const member = Object.hasOwn(instead, name) ? instead[name] : members[name];
    if (member !== undefined) text += (text === '' ? lead : `,${lead}`) + canonical(member);
  }
  return `{${text}}`;
}

interface Shape {
  readonly names: readonly string[];
  /** In their order, each with its `"name":`. */
  readonly sorted: readonly { readonly name: string; readonly lead: string }[];
}

/** By the number of names. */
const shapes = new Map<number, Shape[]>();

/** Steps have few shapes, and a plan has many steps. */
function sortedNames(names: readonly string[]): Shape['sorted'] {
  const alike = shapes.get(names.length) ?? [];
  for (const shape of alike) if (isSame(shape.names, names)) return shape.sorted;
  const sorted = names.toSorted().map((name) => ({ name, lead: `${JSON.stringify(name)}:` }));
  shapes.set(names.length, [...alike, { names, sorted }]);
  return sorted;
}

function isSame(one: readonly string[], two: readonly string[]): boolean {
  for (let index = 0; index < one.length; index += 1) if (one[index] !== two[index]) return false;
  return true;
}
