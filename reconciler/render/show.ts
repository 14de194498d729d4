/** Makes reports of existing objects with their readable fields, and of the ledger. */
import type { Found } from '../../resources/kind';
import { counted } from '../../resources/names';
import { headOf, type Ledger, type LedgerHead } from '../ledger/ledger';
import { aboutLedger, fieldName, type Naming, type Report, type Row, sectionOf, showField } from './report';

export type Shown = { readonly address: string; readonly kind: string } & (
  | ({ readonly state: 'present' } & Found)
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

export function showReport(ledger: Ledger, place: string, shown: readonly Shown[], naming: Naming): Report {
  const rows = shown.map((one): Row => {
    const { address: title, kind, state } = one;
    if (state !== 'present') return { mark: state, title, text: `${state}: ${one.why}` };
    const lines = Object.entries({ ...one.values, ...one.outputs }).map(([field, value]) => {
      return { label: fieldName(kind, field), text: showField(kind, field, value, naming) };
    });
    return { mark: 'done', title, text: one.id.includes('/') ? '' : one.id, lines };
  });
  const [present = 0, unknown = 0] = ['present', 'unknown'].map(
    (wanted) => shown.filter(({ state }) => state === wanted).length,
  );
  return {
    about: aboutLedger({ ...ledger, ledger: headOf(ledger, place) }),
    sections: sectionOf('Objects', rows),
    summary: `${present} of ${shown.length} exist${unknown === 0 ? '' : `, ${unknown} unknown`}.`,
    footer: [],
  };
}

/** For a secret, it shows only that it was written. */
export function ledgerReport(ledger: Ledger, place: string, lock: Pick<LedgerHead, 'lock'>): Report {
  const { objects, pending } = ledger;
  const recorded = Object.entries(objects).map(([title, { id = '', digests = {}, retiring = [] }]): Row => {
    const secrets = Object.keys(digests).map((field) => `${field}: (secret, written)`);
    const old = retiring.map((one) => `retiring: ${one}`);
    return { mark: 'note', title, text: [id, ...secrets, ...old].join('  ') };
  });
  const started = Object.entries(pending).map(([title, { attemptedAt }]): Row => {
    return { mark: 'unknown', title, text: `create started at ${attemptedAt}` };
  });
  return {
    about: aboutLedger({ ...ledger, ledger: { ...headOf(ledger, place), ...lock } }),
    sections: [...sectionOf('Managed', recorded), ...sectionOf('Not finished', started)],
    summary: `${counted(recorded.length, 'object')}.`,
    footer: [],
  };
}
