/** Where the ledger of a folder stands, and when there is one too many. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LedgerError } from '../../../reconciler/ledger/disk';
import { findLedger } from '../../../reconciler/ledger/find';
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
    return (await findLedger(asked, cwd)).slice(root.length + 1);
  }

  const table: [string, string[], string, string][] = [
    ['the one in the folder', ['a/tether.ledger.json'], 'a', 'a/tether.ledger.json'],
    ['a new one in the folder', ['a/'], 'a', 'a/tether.ledger.json'],
    ['the one in the root of the repository', ['a/'], '.', 'tether.ledger.json'],
    [
      'one of which a first, interrupted run left only the journal',
      ['a/tether.ledger.json.journal'],
      'a',
      'a/tether.ledger.json',
    ],
    [
      'one of which a first run that goes on has only the lock',
      ['a/tether.ledger.json.lock'],
      'a',
      'a/tether.ledger.json',
    ],
    ['it whatever ledger the folder beside has', ['a/', 'b/tether.ledger.json'], 'a', 'a/tether.ledger.json'],
    [
      'it beside ledgers that no manifest is looked for near',
      ['tether.ledger.json', 'node_modules/x/tether.ledger.json', '.cache/tether.ledger.json'],
      '.',
      'tether.ledger.json',
    ],
    [
      'a file for nothing, for that is what the reader of manifests refuses',
      ['a/tether.ledger.json', 'a/x.tether.yaml'],
      'a/x.tether.yaml',
      'a/x.tether.yaml/tether.ledger.json',
    ],
  ];
  for (const [what, files, asked, expected] of table) {
    it(`takes ${what}`, async () => {
      assert.equal(await found(tree(...files), asked), expected);
    });
  }

  it('looks no further up than the root of the repository', async () => {
    const root = tree('a/');
    writeFileSync(join(folder(), 'tether.ledger.json'), '{}');
    assert.equal(await found(root, 'a'), 'a/tether.ledger.json');
    assert.equal(await found(root, '.'), 'tether.ledger.json');
  });

  it('looks at nothing above outside of a repository', async () => {
    const root = join(folder(), 'plain');
    mkdirSync(join(root, 'a'), { recursive: true });
    writeFileSync(join(root, 'tether.ledger.json'), '{}');
    assert.equal(await found(root, 'a'), 'a/tether.ledger.json');
  });

  it('takes a worktree, whose .git is a file, for a repository', async () => {
    const root = tree('tether.ledger.json', 'inner/.git', 'inner/a/');
    assert.equal(await found(root, 'inner/a'), 'inner/a/tether.ledger.json');
  });

  for (const left of ['', '.journal', '.lock']) {
    const name = `tether.ledger.json${left}`;

    it(`refuses ${name} above, naming both ledgers`, async () => {
      const root = tree(name, 'a/b/');
      await assert.rejects(
        findLedger('a/b', root),
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
        findLedger('.', root),
        /^LedgerError: a\/b\/tether\.ledger\.json: .* below \., .* is tether\.ledger\.json: .*\. Run for a\/b, or move/,
      );
      await assert.rejects(findLedger('a/b', root), / above a\/b, /);
    });
  }

  it('refuses one above the folder that a link leads to', async () => {
    const root = tree('tether.ledger.json', 'a/');
    symlinkSync(join(root, 'a'), join(folder(), 'link'));
    await assert.rejects(findLedger(join(folder(), 'link'), root), /This ledger is above/);
  });

  it('says which path cannot be looked at', async () => {
    const root = tree();
    const name = 'x'.repeat(300);
    await assert.rejects(findLedger(name, root), /x: Could not look at it: ENAMETOOLONG/);
  });

  for (const target of ['../gone.json', 'tether.ledger.json']) {
    it(`takes no link to ${target}, where nothing is, for "no ledger yet"`, async () => {
      const root = tree();
      symlinkSync(target, join(root, 'tether.ledger.json'));
      await assert.rejects(
        findLedger('.', root),
        new RegExp(`The ledger is a link to ${target}, which does not exist\\. Bring back`),
      );
    });
  }
});
