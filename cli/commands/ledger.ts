/** `tether ledger`: looking into the ledger, and freeing its lock; no network. */
import { findLedger, type LedgerPlace } from '../../reconciler/ledger/find';
import type { Ledger, LedgerOrganization } from '../../reconciler/ledger/ledger';
import { describeHolder } from '../../reconciler/ledger/lock-holder';
import { openLedger, unlockLedger } from '../../reconciler/ledger/open';
import { plain } from '../../reconciler/render/text';
import type { Call } from '../call';
import { UserError } from '../errors';
import type { LedgerFlags } from '../flags';

/** Prints what the ledger holds, an interrupted run's journal included; writes nothing. */
export async function show(call: Call<LedgerFlags>): Promise<number> {
  const place = await placeOf(call);
  const opened = await openLedger(place, { write: false, ...openingOf(call) });
  call.voice.say(renderLedger(opened.ledger));
  call.voice.document({ command: call.command, exitCode: 0, file: place.file, ledger: opened.ledger });
  await opened.close();
  return 0;
}

/** Removes the lock with this token, which was left behind. */
export async function unlock(call: Call<LedgerFlags>): Promise<number> {
  const [token = ''] = call.args;
  const holder = await unlockLedger(await placeOf(call), token);
  const done =
    holder === null ? 'The ledger is not locked.' : `Removed the lock of ${describeHolder(holder)}.`;
  call.voice.say(`${plain(done)}\n`);
  call.voice.document({ command: call.command, exitCode: 0, done: [done] });
  return 0;
}

function openingOf({ flags, voice, io }: Call<LedgerFlags>) {
  return {
    lockTimeout: flags.lockTimeout ?? 0,
    onNote: (note: string) => voice.log('warn', note),
    signal: io.signal,
  };
}

async function placeOf(call: Call<LedgerFlags>): Promise<LedgerPlace> {
  const location = await findLedger('.', { cwd: call.io.cwd });
  if (!location.exists && call.command !== 'ledger unlock') {
    throw new UserError(`there is no ledger at ${location.file} yet: tether apply makes it`);
  }
  return location;
}

function renderLedger(ledger: Ledger): string {
  const organizations = Object.entries(ledger.organizations);
  if (organizations.length === 0) return 'The ledger is empty.\n';
  return `${organizations.map(([name, content]) => renderOrganization(name, content)).join('\n\n')}\n`;
}

function renderOrganization(name: string, content: LedgerOrganization): string {
  const objects = Object.entries(content.objects).map(([key, object]) => {
    const marks = [
      ...(object.file === null ? [] : [object.file]),
      ...(object.protect ? ['protected'] : []),
      ...(object.replaces === undefined ? [] : [`replaces ${object.replaces}`]),
      ...Object.keys(object.digests).map((field) => `${field}: (secret, written)`),
    ];
    const id = object.id.includes('/') ? '' : `  ${object.id}`;
    return plain(`  ${key}${id}${marks.length === 0 ? '' : `  ${marks.join(', ')}`}`);
  });
  const pending = Object.entries(content.pending).map(([key, intent]) =>
    plain(`  ${key}  create not finished, under ${intent.nonce}`),
  );
  const late = content.tombstones.map((one) =>
    plain(`  ${one.address}  may still appear as ${one.nonce}, since ${one.since}`),
  );
  return [
    `# ${plain(name)}  (serial ${content.serial}, lineage ${plain(content.lineage)})`,
    ...objects,
    ...pending,
    ...late,
  ].join('\n');
}
