/** `tether ledger`: what it shows of the ledger, and when it frees the lock. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ppid } from 'node:process';
import { lockOf } from '../../reconciler/ledger/disk';
import { type Ledger, type LockHolder, serializeLedger } from '../../reconciler/ledger/ledger';

import { type Hands, tetherHere } from '../support/cli';
import { endedProcess } from '../support/ended-process';
import { at, attachmentObject, clientObject, fullLedger, ledgerOf } from '../support/ledger-samples';
import { holderWith } from '../support/lock-holders';
import { temporaryFolder } from '../support/temporary-folder';

describe('tether ledger', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const file = () => join(folder(), 'tether.ledger.json');
  const given = (ledger: Ledger) => writeFileSync(file(), serializeLedger(ledger));
  const run = (args: readonly string[], more: Partial<Hands> = {}) =>
    tetherHere(['ledger', ...args], { cwd: folder(), ...more });
  const locked = (holder: Partial<LockHolder>) =>
    writeFileSync(lockOf(file()), JSON.stringify(holderWith(holder)));

  it('shows every entry with what is remembered of it, what is unfinished and what may still appear', async () => {
    given({
      ...fullLedger,
      objects: {
        'OAuthClient/github': clientObject('oc-1', { protect: true, replaces: 'oc-0' }),
        'OAuthClient/adopted': clientObject('oc-2', { file: null, digests: {} }),
        'ProjectAttachment/oc-1/prj-1': attachmentObject('oc-1', 'prj-1'),
      },
    });
    const { code, stdout, stderr } = await run(['show']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `# acme  (serial 3, lineage lineage-1)
  OAuthClient/adopted  oc-2
  OAuthClient/github  oc-1  acme.tether.yaml, protected, replaces oc-0, oauthTokenString: (secret, written)
  ProjectAttachment/github/prj-1  acme.tether.yaml
  OAuthClient/new  create not finished, under tether-pending-a-b
  OAuthClient/github  may still appear as tether-pending-c-d, since ${at}
`,
    );
  });

  it('says of a link whose create was not finished only that', async () => {
    const key = 'RunTrigger/ws-1/ws-2';
    given(ledgerOf({ pending: { [key]: { kind: 'RunTrigger', nonce: key, hash: key } } }));
    assert.match((await run(['show'])).stdout, /^ {2}RunTrigger\/ws-1\/ws-2 {2}create not finished$/m);
  });

  it('shows an empty ledger as one, and prints it whole with --json', async () => {
    given(ledgerOf());
    assert.equal((await run(['show'])).stdout, '# acme  (serial 3, lineage lineage-1)\n  nothing\n');
    const { stdout } = await run(['show', '--json']);
    assert.deepEqual(JSON.parse(stdout), {
      version: 1,
      command: 'ledger show',
      exitCode: 0,
      file: file(),
      ledger: ledgerOf(),
    });
  });

  it('says while somebody is changing it, and still shows it', async () => {
    given(fullLedger);
    locked({});
    const { code, stdout, stderr } = await run(['show']);
    assert.equal(code, 0);
    assert.match(stderr, new RegExp(`being changed right now: tether apply, process ${ppid}`));
    assert.match(stdout, /^# acme/);
  });

  it('waits for whoever is changing it as long as was asked for, and then shows it', async () => {
    given(ledgerOf());
    locked({});
    const onStderr = (text: string) => {
      if (!text.startsWith('Waiting')) return;
      given(fullLedger);
      rmSync(lockOf(file()));
    };
    const { code, stdout, stderr } = await run(['show', '--lock-timeout', '25'], { onStderr });
    assert.equal(code, 0);
    assert.match(stderr, /^Waiting for the ledger's lock: tether apply[^\n]*\n$/);
    assert.match(stdout, /^# acme/);
  });

  const nowhere: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['show without a ledger', ['show'], /no ledger at .*tether\.ledger\.json yet; tether apply creates it/],
  ];
  for (const [what, args, message] of nowhere) {
    it(`explains ${what}, and makes no file`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
      assert.deepEqual(readdirSync(folder()), []);
    });
  }

  it('frees the lock with the token it is told, unless its holder runs', async () => {
    given(fullLedger);
    const token = '0123456789abcdef';
    assert.equal((await run(['unlock', token])).stdout, 'The ledger is not locked.\n');
    locked({ pid: dead });
    assert.match((await run(['unlock', token])).stdout, new RegExp(`^Removed the lock of .*process ${dead}`));
    locked({});
    const inUse = await run(['unlock', token]);
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /in use: tether apply, process/);
    locked({ pid: dead, token: 'fedcba9876543210' });
    const another = await run(['unlock', token]);
    assert.equal(another.code, 1);
    assert.match(
      another.stderr,
      /another token than 0123456789abcdef.*`tether ledger unlock fedcba9876543210`/s,
    );
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json', 'tether.ledger.json.lock']);
  });

  it('frees a lock also before there is a ledger', async () => {
    locked({ host: 'elsewhere', boot: 'another' });
    const { stdout } = await run(['unlock', '0123456789abcdef']);
    assert.match(stdout, /^Removed the lock of .* on elsewhere/);
    assert.deepEqual(readdirSync(folder()), []);
  });
});
