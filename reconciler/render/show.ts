/** What exists, with all readable fields, as a report. */
import type { Found } from '../../resources/kind';
import type { Ledger } from '../ledger/ledger';
import { aboutLedger, fieldName, type Naming, type Report, type Row, sectionOf, showField } from './report';

export type Shown = { readonly address: string; readonly kind: string } & (
  | ({ readonly state: 'present' } & Found)
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

export function showReport(
  { organization, lineage, serial, objects }: Ledger,
  place: string,
  shown: readonly Shown[],
  naming: Naming,
): Report {
  const rows = shown.map((one) => rowOf(one, naming));
  const present = shown.filter(({ state }) => state === 'present').length;
  const count = Object.keys(objects).length;
  return {
    about: aboutLedger({ organization, ledger: { place, lineage, serial, objects: count } }),
    sections: sectionOf('Objects', rows),
    summary: `${present} of ${shown.length} exist.`,
    footer: [],
  };
}

function rowOf(one: Shown, naming: Naming): Row {
  const { address: title, kind, state } = one;
  if (state !== 'present') return { mark: state, title, text: `${state}: ${one.why}`, lines: [] };
  const fields = Object.entries({ ...one.values, ...one.outputs });
  const lines = fields.map(([field, value]) => {
    return { label: fieldName(kind, field), text: showField(kind, field, value, naming) };
  });
  return { mark: 'done', title, text: one.id.includes('/') ? '' : one.id, lines };
}
