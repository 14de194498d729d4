/** What manifests and ledger show without the service: what `validate` adds to their own mistakes, and a plan repeats. Pure. */
import type { DesiredEntry, ExactSet, Manifests } from '../../manifest/desired';
import {
  type DesiredValues,
  type FieldValues,
  type Issue,
  isReference,
  type Position,
  type ResourceDefinition,
} from '../../resources/kind';
import { ledgerFileName } from '../ledger/disk';
import type { Ledger } from '../ledger/ledger';
import { warning } from './steps';

/** Null where both are of one organization. */
export function otherLedger({ organization, organizationAt }: Manifests, ledger: Ledger) {
  if (organization === ledger.organization) return null;
  const message = `the manifests are of \`${organization}\`, and the ledger of this folder is of \`${ledger.organization}\`: nothing was planned. A slip: correct this line. Renamed at the service: write \`"organization": "${organization}"\` in ${ledgerFileName} too, in the same commit. Another organization: give it a folder of its own`;
  const issue = { rule: 'other-ledger', severity: 'error', message, path: 'organization' } as const;
  return { ...issue, at: organizationAt } satisfies Issue & { readonly at: Position };
}

/** Of an object that stays offered to everybody: its list of projects restricts nothing. `there`: what is observed of it; null for not known. */
export function scopeWarnings(
  { fields }: ResourceDefinition,
  entry: DesiredEntry,
  { sets, links }: { readonly sets: readonly ExactSet[]; readonly links: readonly DesiredEntry[] },
  there: FieldValues | null,
): readonly Issue[] {
  const [name, field] = Object.entries(fields).find(([, { isScope }]) => isScope) ?? [];
  if (name === undefined) return [];
  const scope = entry.inputs[name] ?? (there === null ? null : (there[name] ?? field?.default));
  const isOfThis = (ends: DesiredValues) =>
    Object.values(ends).some((end) => isReference(end) && end.address === entry.address);
  const set = sets.find(({ fixed }) => isOfThis(fixed));
  if (scope !== true || set === undefined || !links.some(({ inputs }) => isOfThis(inputs))) return [];
  const message = `${entry.address} is offered to the whole organization, so ${set.label} restrict nothing: write \`${name}: false\` to offer it to them alone, or leave them out`;
  return [warning(entry, 'projects-restrict-nothing', message, set.at)];
}
