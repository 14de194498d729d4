/** The text of a ledger: stable, complete, and refused untouched when it is anything else. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerError, type LedgerErrorCode } from '../../../reconciler/ledger/disk';
import { parseLedger, readLedger, writeLedger } from '../../../reconciler/ledger/file';
import { serializeLedger } from '../../../reconciler/ledger/ledger';
import { clientObject, fullLedger, ledgerOf } from '../../support/ledger-samples';
import { temporaryFolder } from '../../support/temporary-folder';

const good = serializeLedger(fullLedger);

function changed(change: (ledger: Record<string, never>) => void): string {
  const copy = JSON.parse(good);
  change(copy);
  return JSON.stringify(copy);
}

function refused(text: string): LedgerError {
  try {
    parseLedger(text, 'x.json');
  } catch (error) {
    assert.ok(error instanceof LedgerError);
    return error;
  }
  return assert.fail('was accepted');
}

describe('the text of a ledger', () => {
  it('reads back as what was written', () => {
    assert.deepEqual(parseLedger(good, 'x.json'), fullLedger);
    assert.deepEqual(parseLedger(serializeLedger(ledgerOf()), 'x.json'), ledgerOf());
  });

  it('is the same whatever the order of members, and ends with one newline', () => {
    const one = ledgerOf({
      objects: { 'OAuthClient/z': clientObject('oc-2'), 'OAuthClient/y': clientObject('oc-3') },
    });
    const turned = ledgerOf({
      objects: {
        'OAuthClient/y': clientObject('oc-3', { values: { organizationScoped: false, name: 'GitHub' } }),
        'OAuthClient/z': clientObject('oc-2'),
      },
    });
    assert.equal(serializeLedger(one), serializeLedger(turned));
    assert.match(serializeLedger(one), /[^\n]\n$/);
    assert.ok(serializeLedger(one).indexOf('/y"') < serializeLedger(one).indexOf('/z"'));
  });

  it('lists a set in order and once', () => {
    const withSet = (ids: string[]) =>
      serializeLedger(ledgerOf({ objects: { 'OAuthClient/x': clientObject('oc-1', { values: { ids } }) } }));
    assert.equal(withSet(['b', 'a', 'b']), withSet(['a', 'b']));
  });

  const table: [string, string, LedgerErrorCode, RegExp][] = [
    ['an empty file', '', 'corrupt', /is empty/],
    ['white space', ' \n', 'corrupt', /is empty/],
    ['half a ledger', good.slice(0, good.length / 2), 'corrupt', /not JSON, or only half/],
    ['merge conflict marks', `<<<<<<< ours\n${good}`, 'corrupt', /merge conflict/],
    ['a list', '[]', 'corrupt', /must be object/],
    ['null', 'null', 'corrupt', /must be object/],
    [
      'no version',
      changed((l) => Reflect.deleteProperty(l, 'version')),
      'corrupt',
      /required property 'version'/,
    ],
    [
      'a newer version',
      changed((l) => Reflect.set(l, 'version', 2)),
      'newer',
      /has version 2.*newer tether/s,
    ],
    [
      'a version that is text',
      changed((l) => Reflect.set(l, 'version', '1')),
      'corrupt',
      /version must be equal/,
    ],
    ['an unknown member', changed((l) => Reflect.set(l, 'extra', 1)), 'corrupt', /extra/],
    ['a serial below zero', good.replace('"serial": 3', '"serial": -3'), 'corrupt', /serial must be >= 0/],
    ['a serial with a fraction', good.replace('"serial": 3', '"serial": 3.5'), 'corrupt', /must be integer/],
    ['an object without id', good.replace('"id": "oc-1",', ''), 'corrupt', /OAuthClient\/github.*'id'/],
    ['a number as a value', good.replace('"GitHub"', '7'), 'corrupt', /values › name must be/],
    [
      'a clear secret as a digest',
      good.replace(/"scrypt:16384[^"]*"/, '"hunter2"'),
      'corrupt',
      /oauthTokenString/,
    ],
    [
      'a digest whose cost cannot be computed',
      good.replace('scrypt:16384:', 'scrypt:16777216:'),
      'corrupt',
      /OAuthClient\/github › digests › oauthTokenString must match format "digest".*Restore it/s,
    ],
    [
      'a date that is none',
      good.replace(/"since": "[^"]*"/, '"since": "yesterday"'),
      'corrupt',
      /since must match/,
    ],
    [
      'a member twice',
      good.replace('"serial": 3', '"serial": 3, "serial": 4'),
      'corrupt',
      /"serial" stands twice/,
    ],
    [
      'a member twice in other spelling',
      good.replace('"serial": 3', '"serial": 3, "s\\u0065rial": 4'),
      'corrupt',
      /"serial" stands twice/,
    ],
    ['__proto__', good.replace('"OAuthClient/github"', '"__proto__"'), 'corrupt', /__proto__/],
    [
      'a kind under another kind',
      good.replace('"OAuthClient/github": {', '"RunTrigger/a/b": {'),
      'corrupt',
      /holds a/,
    ],
    [
      'a kind that only begins like its key',
      good.replace('"kind": "OAuthClient"', '"kind": "OAuth"'),
      'corrupt',
      /OAuthClient\/github holds an OAuth\b/,
    ],
    [
      'one object at two addresses',
      serializeLedger(
        ledgerOf({
          objects: { 'OAuthClient/a': clientObject('oc-1'), 'OAuthClient/b': clientObject('oc-1') },
        }),
      ),
      'corrupt',
      /OAuthClient\/a and OAuthClient\/b both claim oc-1/,
    ],
  ];
  for (const [what, text, code, message] of table) {
    it(`refuses ${what}`, () => {
      const error = refused(text);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.match(error.message, /^x\.json: .*left as it is/s);
    });
  }

  it('never repeats a value that does not belong there', () => {
    assert.doesNotMatch(refused(good.replace(/"scrypt:16384[^"]*"/, '"hunter2"')).message, /hunter2/);
  });

  it('takes two objects that hold the same member names', () => {
    const text = JSON.stringify({ ...fullLedger, journal: '{"a":1,"a":2}' });
    assert.equal(parseLedger(text, 'x.json').journal, '{"a":1,"a":2}');
  });
});

describe('the file of a ledger', () => {
  const folder = temporaryFolder();

  it('is read as it was written, by its owner only, with nothing left beside it', async () => {
    const file = join(folder(), 'tether.ledger.json');
    writeFileSync(file, 'old', { mode: 0o644 });
    await writeLedger(file, fullLedger);
    assert.deepEqual(readLedger(file), fullLedger);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
  });

  it('is null when it does not exist', () => {
    assert.equal(readLedger(join(folder(), 'tether.ledger.json')), null);
  });

  it('is refused when it is not UTF-8 or no plain file', () => {
    const file = join(folder(), 'tether.ledger.json');
    writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
    assert.throws(() => readLedger(file), /not UTF-8/);
    mkdirSync(join(folder(), 'sub'));
    assert.throws(
      () => readLedger(join(folder(), 'sub')),
      /This is a folder, not a plain file\. Move it away\./,
    );
    execFileSync('mkfifo', [join(folder(), 'pipe')]);
    assert.throws(() => readLedger(join(folder(), 'pipe')), /This is a named pipe, not a plain file/);
    assert.throws(() => readLedger('/dev/zero'), /This is a device, not a plain file/);
  });

  it('stays as it was when the new content is wrong', async () => {
    const file = join(folder(), 'tether.ledger.json');
    await writeLedger(file, fullLedger);
    const wrong = ledgerOf({
      objects: { 'OAuthClient/x': clientObject('oc-1', { digests: { key: 'hunter2' } }) },
    });
    await assert.rejects(writeLedger(file, wrong), LedgerError);
    assert.equal(readFileSync(file, 'utf8'), good);
  });

  it('says where and why it could not be written, and leaves nothing behind', async () => {
    const file = join(folder(), 'taken');
    mkdirSync(join(file, 'inside'), { recursive: true });
    await assert.rejects(writeLedger(file, fullLedger), /taken: Could not write it: .*permissions/s);
    assert.deepEqual(readdirSync(folder()), ['taken']);
    chmodSync(file, 0o700);
  });
});
