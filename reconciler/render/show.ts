/** Makes reports of existing objects with their readable fields, and of the ledger. */
import type { Found } from '../../resources/kind';
import { counted } from '../../resources/names';
import { type Ledger, type LedgerSummary, summarizeLedger } from '../ledger/ledger';
import { aboutLedger, fieldName, type Naming, type Report, type Row, showField, toSections } from './report';

export type ShownObject = { readonly address: string; readonly kind: string } & (
  | ({ readonly state: 'present' } & Found)
  | { readonly state: 'missing' | 'unknown'; readonly why: string }
);

export function showReport(
  ledger: Ledger,
  place: string,
  objects: readonly ShownObject[],
  naming: Naming,
): Report {
  const rows = objects.map((object): Row => {
    const { address: title, kind, state } = object;
    if (state !== 'present') return { mark: state, title, text: `${state}: ${object.why}` };
    const lines = Object.entries({ ...object.values, ...object.outputs }).map(([field, value]) => {
      return { label: fieldName(kind, field), text: showField(kind, field, value, naming) };
    });
    return { mark: 'done', title, text: object.id.includes('/') ? '' : object.id, lines };
  });
  const [present = 0, unknown = 0] = ['present', 'unknown'].map(
    (wanted) => objects.filter(({ state }) => state === wanted).length,
  );
  return {
    about: aboutLedger({ ...ledger, ledger: summarizeLedger(ledger, place) }),
    sections: toSections('Objects', rows),
    summary: `${present} of ${objects.length} exist${unknown === 0 ? '' : `, ${unknown} unknown`}.`,
  };
}

/** For a secret, it shows only that it was written. */
export function ledgerReport(ledger: Ledger, place: string, lock: Pick<LedgerSummary, 'lock'>): Report {
  const { objects, pending } = ledger;
  const managedRows = Object.entries(objects).map(
    ([title, { id = '', digests = {}, retiring = [] }]): Row => {
      const secrets = Object.keys(digests).map((field) => `${field}: (secret, written)`);
      const old = retiring.map((retiringId) => `retiring: ${retiringId}`);
      return { mark: 'note', title, text: [id, ...secrets, ...old].join('  ') };
    },
  );
  const pendingRows = Object.entries(pending).map(([title, { attemptedAt }]): Row => {
    return { mark: 'unknown', title, text: `create started at ${attemptedAt}` };
  });
  return {
    about: aboutLedger({ ...ledger, ledger: { ...summarizeLedger(ledger, place), ...lock } }),
    sections: [...toSections('Managed', managedRows), ...toSections('Not finished', pendingRows)],
    summary: `${counted(managedRows.length, 'object')}.`,
  };
}
