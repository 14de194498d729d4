/** `tether ledger`: what a person sees of the ledger, and which repairs are done, refused or explained. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ppid } from 'node:process';
import { serializeLedger } from '../../reconciler/ledger/file';
import { emptyLedger, type Ledger } from '../../reconciler/ledger/ledger';
import { lockOf } from '../../reconciler/ledger/lock-file';
import { type Hands, tetherHere } from '../support/cli';
import { endedProcess } from '../support/ended-process';
import {
  at,
  attachmentObject,
  clientObject,
  fullLedger,
  ledgerOf,
  organization,
} from '../support/ledger-samples';
import { temporaryFolder } from '../support/temporary-folder';

describe('tether ledger', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const file = () => join(folder(), 'tether.ledger.json');
  const given = (ledger: Ledger) => writeFileSync(file(), serializeLedger(ledger));
  const run = (args: readonly string[], more: Partial<Hands> = {}) =>
    tetherHere(['ledger', ...args], { cwd: folder(), ...more });
  const locked = (holder: object) =>
    writeFileSync(
      lockOf(file()),
      JSON.stringify({
        host: hostname(),
        pid: ppid,
        since: at,
        command: 'tether apply',
        token: '0123456789abcdef',
        ...holder,
      }),
    );

  it('shows every entry with what is remembered of it, what is unfinished and what may still appear', async () => {
    given(
      ledgerOf({
        acme: organization({
          ...fullLedger.organizations.acme,
          objects: {
            'OAuthClient/github': clientObject('oc-1', { protect: true, replaces: 'oc-0' }),
            'OAuthClient/adopted': clientObject('oc-2', { file: null, digests: {} }),
            'ProjectAttachment/oc-1/prj-1': attachmentObject('oc-1', 'prj-1'),
          },
        }),
        beta: organization(),
      }),
    );
    const { code, stdout, stderr } = await run(['show']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      stdout,
      `# acme  (serial 3, lineage lineage-1)
  OAuthClient/adopted  oc-2
  OAuthClient/github  oc-1  acme.tether.yaml, protected, replaces oc-0, oauthTokenString: (secret, written)
  ProjectAttachment/oc-1/prj-1  acme.tether.yaml
  OAuthClient/new  create not finished, under tether-pending-a-b
  OAuthClient/github  may still appear as tether-pending-c-d, since ${at}

# beta  (serial 3, lineage lineage-1)
`,
    );
  });

  it('shows an empty ledger as one, and prints it whole with --json', async () => {
    given(emptyLedger);
    assert.equal((await run(['show'])).stdout, 'The ledger is empty.\n');
    const { stdout } = await run(['show', '--json']);
    assert.deepEqual(JSON.parse(stdout), {
      version: 1,
      command: 'ledger show',
      exitCode: 0,
      file: file(),
      ledger: emptyLedger,
    });
  });

  it('reads the ledger that the flag names, else the one of the variable', async () => {
    for (const name of ['flag.json', 'variable.json']) {
      writeFileSync(join(folder(), name), serializeLedger(ledgerOf({ [name.slice(0, 4)]: organization() })));
    }
    const env = { TETHER_LEDGER: 'variable.json' };
    assert.match((await run(['show'], { env })).stdout, /^# vari /);
    assert.match((await run(['show', '--ledger', 'flag.json'], { env })).stdout, /^# flag /);
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
    given(emptyLedger);
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
    ['show without a ledger', ['show'], /no ledger at .*tether\.ledger\.json yet: tether apply makes it/],
    ['forget without a ledger', ['forget', 'OAuthClient/a'], /no ledger at/],
    ['mv without a ledger', ['mv', 'OAuthClient/a', 'OAuthClient/b'], /no ledger at/],
    ['show of none', ['show', '--ledger', 'none'], /--ledger none: there is no ledger to look into/],
  ];
  for (const [what, args, message] of nowhere) {
    it(`explains ${what}, and makes no file`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
      assert.deepEqual(readdirSync(folder()), []);
    });
  }

  it('forgets a client with its attachments, and tells what its unfinished create may have left', async () => {
    given(fullLedger);
    const forgotten = await run(['forget', 'OAuthClient/github']);
    assert.equal(
      forgotten.stdout,
      'Forgot ProjectAttachment/oc-1/prj-1.\nForgot OAuthClient/github (oc-1).\n',
    );
    const unfinished = await run(['forget', 'OAuthClient/new', '--json']);
    assert.deepEqual((JSON.parse(unfinished.stdout) as { done: unknown }).done, [
      'Forgot OAuthClient/new.',
      'Its create was not finished: look for an object named tether-pending-a-b.',
    ]);
    assert.doesNotMatch((await run(['show'])).stdout, /oc-1|OAuthClient\/new/);
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'an entry it does not have',
      ['forget', 'OAuthClient/gitub'],
      /no entry.*Did you mean OAuthClient\/github\?/,
    ],
    ['a move of a link', ['mv', 'ProjectAttachment/oc-1/prj-1', 'OAuthClient/b'], /ids of its two ends/],
    ['a move to what is no client', ['mv', 'OAuthClient/github', 'RunTrigger/a/b'], /is no address/],
    ['a move onto another', ['mv', 'OAuthClient/github', 'OAuthClient/new'], /is taken/],
    ['a move to another organization', ['mv', 'OAuthClient/github', 'beta:OAuthClient/b'], /belongs to acme/],
  ];
  for (const [what, args, message] of refused) {
    it(`refuses ${what}, and leaves the ledger as it is`, async () => {
      given(fullLedger);
      const { code, stderr } = await run(args);
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.equal(readFileSync(file(), 'utf8'), serializeLedger(fullLedger));
    });
  }

  it('moves an entry, and the next look shows it there', async () => {
    given(fullLedger);
    const moved = await run(['mv', 'OAuthClient/github', 'OAuthClient/hub']);
    assert.equal(moved.stdout, 'Moved OAuthClient/github to OAuthClient/hub.\n');
    assert.match((await run(['show'])).stdout, /OAuthClient\/hub {2}oc-1/);
  });

  it('removes a lock that was left behind, and one in use only with --force', async () => {
    given(fullLedger);
    assert.equal((await run(['unlock'])).stdout, 'The ledger is not locked.\n');
    locked({ pid: dead });
    assert.match((await run(['unlock'])).stdout, new RegExp(`^Removed the lock of .*process ${dead}`));
    locked({});
    const inUse = await run(['unlock']);
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /in use.*running.*--force/s);
    assert.match((await run(['unlock', '--force'])).stdout, /^Removed the lock/);
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
  });

  it('unlocks also before there is a ledger', async () => {
    locked({ host: 'elsewhere' });
    assert.match((await run(['unlock'])).stdout, /^Removed the lock of .* on elsewhere/);
  });

  it('repairs nothing while somebody else has the lock', async () => {
    given(fullLedger);
    locked({});
    const { code, stderr } = await run(['forget', 'OAuthClient/github']);
    assert.equal(code, 1);
    assert.match(stderr, /still locked by tether apply/);
    assert.equal(readFileSync(file(), 'utf8'), serializeLedger(fullLedger));
  });
});
