/** Addresses that flags give must name something: a misspelt `--adopt` would otherwise create a second object. */
import { distance } from 'fastest-levenshtein';
import { type Manifests, splitAddress } from '../manifest/desired';
import type { Ledger } from '../reconciler/ledger/ledger';
import type { PlanOptions } from '../reconciler/plan/options';
import { definitionOf } from '../resources/registry';
import { UserError } from './errors';

interface Known {
  readonly organization: string;
  readonly address: string;
}

/**
 * Throws a `UserError` with every adoption that names nothing, and returns a warning for every approval that does: it
 * may be spent, as when an interrupted run is repeated. Targets are judged by the planner, which knows more.
 */
export function judgeAddresses(
  options: PlanOptions,
  manifests: Manifests,
  ledger: Ledger,
): readonly string[] {
  const wanted = manifests.organizations.flatMap(({ organization, entries }): Known[] =>
    entries
      .filter((entry) => definitionOf(entry.kind).pair.length === 0)
      .map(({ address }) => ({ organization, address })),
  );
  const held = Object.entries(ledger.organizations).flatMap(([organization, { objects }]): Known[] =>
    Object.entries(objects)
      .filter(([, object]) => definitionOf(object.kind).pair.length === 0)
      .map(([address]) => ({ organization, address })),
  );
  const adoptions = Object.keys(options.adopt).flatMap((address) =>
    unknown('--adopt', address, wanted, 'the manifests'),
  );
  if (adoptions.length > 0) throw new UserError(adoptions.join('\n'));
  const any = [...wanted, ...held];
  return [
    ...options.allowDestroy.flatMap((address) => unknown('--allow-destroy', address, any, either)),
    ...options.allowReplace.flatMap((address) => unknown('--allow-replace', address, any, either)),
  ];
}

const either = 'the manifests or the ledger';

function unknown(flag: string, text: string, known: readonly Known[], where: string): string[] {
  const { organization, address } = splitAddress(text);
  const there = known.some(
    (one) => one.address === address && (organization === null || one.organization === organization),
  );
  if (there) return [];
  const near = known
    .map((one) => ({ address: one.address, far: distance(one.address, address) }))
    .sort((one, two) => one.far - two.far)[0];
  const hint = near !== undefined && near.far <= 3 ? `; did you mean ${near.address}?` : '';
  return [`${flag} ${text} names no object with an id of its own in ${where}${hint}`];
}
