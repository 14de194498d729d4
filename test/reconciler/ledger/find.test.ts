/** Where the ledger of a folder stands, and when there is one too many. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findLedger } from '../../../reconciler/ledger/find';
import { LedgerError } from '../../../reconciler/ledger/ledger-error';
import { temporaryFolder } from '../../support/temporary-folder';

describe('finding the ledger', () => {
  const folder = temporaryFolder();

  /** Makes files below the test's repository; a name that ends in a slash is a folder. */
  function tree(...names: string[]): string {
    const root = join(folder(), 'repository');
    for (const name of ['.git/', ...names]) {
      const path = join(root, name);
      mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true });
      if (!name.endsWith('/')) writeFileSync(path, '{}');
    }
    return root;
  }

  async function found(root: string, asked: string, cwd = root) {
    const place = await findLedger(asked, { cwd });
    return { file: place.file.slice(root.length + 1), exists: place.exists };
  }

  const table: [string, string[], string, { file: string; exists: boolean }][] = [
    ['the one in the folder', ['a/tether.ledger.json'], 'a', { file: 'a/tether.ledger.json', exists: true }],
    ['a new one in the folder', ['a/'], 'a', { file: 'a/tether.ledger.json', exists: false }],
    ['the one in the root of the repository', ['a/'], '.', { file: 'tether.ledger.json', exists: false }],
    [
      'one of which a first, interrupted run left only the journal',
      ['a/tether.ledger.json.journal'],
      'a',
      { file: 'a/tether.ledger.json', exists: true },
    ],
    [
      'one of which a first run that goes on has only the lock',
      ['a/tether.ledger.json.lock'],
      'a',
      { file: 'a/tether.ledger.json', exists: false },
    ],
    [
      'it whatever ledger the folder beside has',
      ['a/', 'b/tether.ledger.json'],
      'a',
      { file: 'a/tether.ledger.json', exists: false },
    ],
    [
      'it beside ledgers that no manifest is looked for near',
      ['tether.ledger.json', 'node_modules/x/tether.ledger.json', '.cache/tether.ledger.json'],
      '.',
      { file: 'tether.ledger.json', exists: true },
    ],
    [
      'a file for nothing, for that is what the reader of manifests refuses',
      ['a/tether.ledger.json', 'a/x.tether.yaml'],
      'a/x.tether.yaml',
      { file: 'a/x.tether.yaml/tether.ledger.json', exists: false },
    ],
  ];
  for (const [what, files, asked, expected] of table) {
    it(`takes ${what}`, async () => {
      assert.deepEqual(await found(tree(...files), asked), expected);
    });
  }

  it('looks no further up than the root of the repository', async () => {
    const root = tree('a/');
    writeFileSync(join(folder(), 'tether.ledger.json'), '{}');
    assert.deepEqual(await found(root, 'a'), { file: 'a/tether.ledger.json', exists: false });
    assert.deepEqual(await found(root, '.'), { file: 'tether.ledger.json', exists: false });
  });

  it('looks at nothing above outside of a repository', async () => {
    const root = join(folder(), 'plain');
    mkdirSync(join(root, 'a'), { recursive: true });
    writeFileSync(join(root, 'tether.ledger.json'), '{}');
    assert.deepEqual(await found(root, 'a'), { file: 'a/tether.ledger.json', exists: false });
  });

  it('takes a worktree, whose .git is a file, for a repository', async () => {
    const root = tree('tether.ledger.json', 'inner/.git', 'inner/a/');
    assert.equal((await found(root, 'inner/a')).file, 'inner/a/tether.ledger.json');
  });

  for (const left of ['', '.journal', '.lock']) {
    const name = `tether.ledger.json${left}`;

    it(`refuses ${name} above, naming both ledgers`, async () => {
      const root = tree(name, 'a/b/');
      await assert.rejects(
        findLedger('a/b', { cwd: root }),
        (error) =>
          error instanceof LedgerError &&
          error.code === 'several' &&
          /^tether\.ledger\.json: .* above a\/b, .* a\/b\/tether\.ledger\.json: .*\. Run for \., or move/.test(
            error.message,
          ),
      );
    });

    it(`refuses ${name} below, naming both ledgers`, async () => {
      const root = tree('tether.ledger.json', `a/b/${name}`);
      await assert.rejects(
        findLedger('.', { cwd: root }),
        /^LedgerError: a\/b\/tether\.ledger\.json: .* below \., .* is tether\.ledger\.json: .*\. Run for a\/b, or move/,
      );
      await assert.rejects(findLedger('a/b', { cwd: root }), / above a\/b, /);
    });
  }

  it('refuses one above the folder that a link leads to', async () => {
    const root = tree('tether.ledger.json', 'a/');
    symlinkSync(join(root, 'a'), join(folder(), 'link'));
    await assert.rejects(findLedger(join(folder(), 'link'), { cwd: root }), /This ledger is above/);
  });

  it('says which path cannot be looked at', async () => {
    const root = tree();
    const name = 'x'.repeat(300);
    await assert.rejects(findLedger(name, { cwd: root }), /x: Could not look at it: ENAMETOOLONG/);
  });

  for (const target of ['../gone.json', 'tether.ledger.json']) {
    it(`takes no link to ${target}, where nothing is, for "no ledger yet"`, async () => {
      const root = tree();
      symlinkSync(target, join(root, 'tether.ledger.json'));
      await assert.rejects(
        findLedger('.', { cwd: root }),
        new RegExp(`The ledger is a link to ${target}, which does not exist\\. Bring back`),
      );
    });
  }
});
