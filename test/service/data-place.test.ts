// Where records cannot be kept, told before the database is asked.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createService } from '../../service';
import { refusalOf } from '../../service/store/data-file';
import { asOrdinaryUser } from '../support/ordinary-user';
import { temporaryFolder } from '../support/temporary-folder';

describe('a place for the data file', () => {
  const folder = temporaryFolder();

  const places: readonly (readonly [string, string, RegExp])[] = [
    ['nobody named', '', /^no file is named\. Name one, or memory\.$/],
    [
      'in a folder that is not there',
      'no/where/x.db',
      /^its folder .*no\/where does not exist\. Make it first/,
    ],
    ['under a file', 'plain/x.db', /plain is no folder\. Choose another file\.$/],
    ['far under a file', 'plain/no/x.db', /^its folder .*plain\/no does not exist\./],
    ['that is a folder', 'folder', /^is a folder\. Name a file in it, such as .*folder\/tether\.db\.$/],
    ['that is a pipe', 'pipe', /^is no regular file\. Choose another one\.$/],
    ['whose name is too long', 'x'.repeat(300), /^cannot be looked at \(ENAMETOOLONG\)\./],
  ];
  for (const [what, name, why] of places) {
    it(`cannot be one ${what}`, async () => {
      mkdirSync(path.join(folder(), 'folder'));
      writeFileSync(path.join(folder(), 'plain'), '');
      execFileSync('mkfifo', [path.join(folder(), 'pipe')]);
      const before = readdirSync(folder());
      const file = name === '' ? '' : path.join(folder(), name);
      const refusal = refusalOf(file) ?? '';
      assert.match(refusal, why);
      const message = `${file === '' ? 'data file' : file}: ${refusal}`;
      await assert.rejects(createService({ data: file }), { name: 'StoreFileError', message });
      assert.deepEqual(readdirSync(folder()), before);
    });
  }

  it('may be a new file, and one that is there', () => {
    writeFileSync(path.join(folder(), 'plain'), '');
    for (const name of ['plain', 'new']) assert.equal(refusalOf(path.join(folder(), name)), undefined);
  });

  it('cannot be one that this user may not write', async () => {
    const locked = path.join(folder(), 'locked');
    const file = path.join(folder(), 'readable.db');
    mkdirSync(locked);
    writeFileSync(file, '');
    chmodSync(locked, 0o500);
    chmodSync(file, 0o400);
    await asOrdinaryUser([folder(), locked, file], async () => {
      const refused = (data: string, message: RegExp) => assert.rejects(createService({ data }), message);
      await refused(path.join(locked, 'x.db'), /locked does not let this user make files \(EACCES\)\./);
      await refused(file, /readable\.db: may not be read and written by this user \(EACCES\)\./);
    });
    assert.deepEqual(readdirSync(locked), []);
  });
});
