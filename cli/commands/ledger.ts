/** `tether ledger`: looking into the ledger, and freeing its lock; no network. */
import { plain } from '../../client/text';
import { readManifests } from '../../manifest/read';
import { ledgerIn } from '../../reconciler/ledger/disk';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { describeHolder } from '../../reconciler/ledger/lock';
import { inspectLedger, unlockLedger } from '../../reconciler/ledger/open';
import { spellings } from '../../reconciler/ledger-key';
import type { Call } from '../call';
import type { Documents } from '../documents';
import { UserError } from '../errors';
import { ledgerOptions } from '../session';

/** An interrupted run's journal counts. */
export async function showLedger(call: Call): Promise<number> {
  const { cwd } = call.io;
  const file = ledgerIn(cwd);
  const ledger = await inspectLedger(cwd, ledgerOptions(call));
  if (ledger === null) throw new UserError(`no ledger at ${file} yet; tether apply creates it`);
  // For spelling alone, so their mistakes do not matter.
  const { manifests } = readManifests(cwd, call.readOptions);
  call.print(renderLedger(ledger, spellings(ledger, manifests).addressOf));
  return call.end(0, { file, ledger } satisfies Documents['ledger show']);
}

export async function unlock(call: Call): Promise<number> {
  const { cwd } = call.io;
  const [token = ''] = call.args;
  const holder = await unlockLedger(cwd, token, ledgerOptions(call));
  const done =
    holder === null ? 'The ledger is not locked.' : `Removed the lock of ${describeHolder(holder)}.`;
  call.print(`${plain(done)}\n`);
  return call.end(0, { done: [done] } satisfies Documents['ledger unlock']);
}

function renderLedger(ledger: Ledger, addressOf: (key: string) => string): string {
  const { organization, serial, lineage, objects, pending, tombstones } = ledger;
  const held = [
    ...Object.entries(objects).map(([key, { id, file, protect, replaces, digests }]) => {
      const marks = [
        ...(file === null ? [] : [file]),
        ...(protect ? ['protected'] : []),
        ...(replaces === undefined ? [] : [`replaces ${replaces}`]),
        ...Object.keys(digests).map((field) => `${field}: (secret, written)`),
      ];
      return [key, ...(id.includes('/') ? [] : [id]), ...(marks.length === 0 ? [] : [marks.join(', ')])];
    }),
    // A link has no temporary name.
    ...Object.entries(pending).map(([key, { nonce }]) => [
      key,
      nonce === key ? 'create not finished' : `create not finished, under ${nonce}`,
    ]),
    ...tombstones.map(({ address, nonce, since }) => [
      address,
      `may still appear as ${nonce}, since ${since}`,
    ]),
  ];
  const lines = held.map(([key = '', ...parts]) => plain(`  ${[addressOf(key), ...parts].join('  ')}`));
  const head = `# ${plain(organization)}  (serial ${serial}, lineage ${plain(lineage)})`;
  return `${[head, ...(lines.length === 0 ? ['  nothing'] : lines)].join('\n')}\n`;
}
