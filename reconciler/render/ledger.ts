/** What the ledger holds, as a report. Of secrets it says only that they were written. */
import type { Ledger } from '../ledger/ledger';
import { aboutLedger, counted, type Report, type Row, sectionOf } from './report';

export function ledgerReport(ledger: Ledger, place: string): Report {
  const { organization, lineage, serial, objects, pending } = ledger;
  const recorded = Object.entries(objects).map(([key, { id = '', digests = {}, retiring = [] }]): Row => {
    const secrets = Object.keys(digests).map((field) => `${field}: (secret, written)`);
    const old = retiring.map((one) => `retiring: ${one}`);
    return { mark: 'note', title: key, text: [id, ...secrets, ...old].join('  '), lines: [] };
  });
  const started = Object.entries(pending).map(([title, { attemptedAt }]): Row => {
    return { mark: 'unknown', title, text: `create started at ${attemptedAt}`, lines: [] };
  });
  const count = Object.keys(objects).length;
  return {
    about: aboutLedger({ organization, ledger: { place, lineage, serial, objects: count } }),
    sections: [...sectionOf('Managed', recorded), ...sectionOf('Not finished', started)],
    summary: `${counted(count, 'object')}.`,
    footer: [],
  };
}
