/** Which ledger belongs to the paths of a command, and when there is none or one too many. */
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

  async function found(root: string, paths: string[], cwd = root) {
    const place = await findLedger(paths, { cwd });
    assert.ok(place !== 'none');
    return { ...place, file: place.file.slice(root.length + 1), folder: place.folder.slice(root.length + 1) };
  }

  const table: [string, string[], string[], { file: string; folder: string; exists: boolean }][] = [
    [
      'the one in the folder',
      ['a/tether.ledger.json'],
      ['a'],
      { file: 'a/tether.ledger.json', folder: 'a', exists: true },
    ],
    [
      'the one above',
      ['tether.ledger.json', 'a/b/'],
      ['a/b'],
      { file: 'tether.ledger.json', folder: '', exists: true },
    ],
    [
      'the nearest of two above',
      ['tether.ledger.json', 'a/tether.ledger.json', 'a/b/'],
      ['a/b'],
      { file: 'a/tether.ledger.json', folder: 'a', exists: true },
    ],
    [
      'a new one beside the folder',
      ['a/'],
      ['a'],
      { file: 'a/tether.ledger.json', folder: 'a', exists: false },
    ],
    [
      'a new one beside a file',
      ['a/x.yaml'],
      ['a/x.yaml'],
      { file: 'a/tether.ledger.json', folder: 'a', exists: false },
    ],
    ['a new one in the working directory', [], [], { file: 'tether.ledger.json', folder: '', exists: false }],
    [
      'the one of several files',
      ['tether.ledger.json', 'a/x.yaml', 'b/y.yaml'],
      ['a/x.yaml', 'b/y.yaml', '.'],
      { file: 'tether.ledger.json', folder: '', exists: true },
    ],
    [
      'one of which a first, interrupted run left only the journal',
      ['tether.ledger.json.journal', 'a/'],
      ['a'],
      { file: 'tether.ledger.json', folder: '', exists: true },
    ],
    [
      'one of which a first run that goes on has only the lock',
      ['tether.ledger.json.lock', 'a/'],
      ['a'],
      { file: 'tether.ledger.json', folder: '', exists: false },
    ],
    [
      'the one above for a path that does not exist',
      ['tether.ledger.json'],
      ['a/missing.yaml'],
      { file: 'tether.ledger.json', folder: '', exists: true },
    ],
    [
      'it beside ledgers that no manifest is looked for near',
      ['tether.ledger.json', 'node_modules/x/tether.ledger.json', '.cache/tether.ledger.json'],
      ['.'],
      { file: 'tether.ledger.json', folder: '', exists: true },
    ],
  ];
  for (const [what, files, paths, expected] of table) {
    it(`takes ${what}`, async () => {
      assert.deepEqual(await found(tree(...files), paths), expected);
    });
  }

  it('looks no further up than the root of the repository', async () => {
    const root = tree('a/');
    writeFileSync(join(folder(), 'tether.ledger.json'), '{}');
    assert.deepEqual(await found(root, ['a']), { file: 'a/tether.ledger.json', folder: 'a', exists: false });
  });

  it('takes a worktree, whose .git is a file, for a repository', async () => {
    const root = tree('tether.ledger.json', 'inner/.git', 'inner/a/');
    assert.equal((await found(root, ['inner/a'])).file, 'inner/a/tether.ledger.json');
  });

  it('refuses paths that belong to two ledgers, naming both', async () => {
    const root = tree('a/tether.ledger.json', 'b/tether.ledger.json');
    await assert.rejects(
      findLedger(['a', 'b'], { cwd: root }),
      (error) =>
        error instanceof LedgerError &&
        error.code === 'several' &&
        /a belongs to a\/tether.ledger.json, b belongs to b\/tether.ledger.json.*--ledger PATH/s.test(
          error.message,
        ),
    );
  });

  it('refuses paths of which only one has a ledger', async () => {
    const root = tree('a/tether.ledger.json', 'b/');
    await assert.rejects(findLedger(['a', 'b'], { cwd: root }), /One run has one ledger/);
  });

  it('refuses a ledger below the path, also where the path has none', async () => {
    const two = tree('tether.ledger.json', 'a/b/tether.ledger.json');
    await assert.rejects(
      findLedger(['.'], { cwd: two }),
      /a\/b\/tether.ledger.json: There is a ledger below \., .*tether.ledger.json.*Run for a\/b alone/s,
    );
    await assert.rejects(findLedger(['a'], { cwd: two }), /below a, which has its own: tether.ledger.json/);
    const one = join(two, 'c');
    mkdirSync(join(one, 'd'), { recursive: true });
    writeFileSync(join(one, 'd', 'tether.ledger.json'), '{}');
    await assert.rejects(findLedger(['c'], { cwd: two }), /There is a ledger below c/);
  });

  it('refuses the journal of a first, interrupted run below the path', async () => {
    const root = tree('tether.ledger.json', 'a/tether.ledger.json.journal');
    await assert.rejects(findLedger(['.'], { cwd: root }), /a\/tether.ledger.json: There is a ledger below/);
  });

  it('says which path cannot be looked at', async () => {
    const root = tree();
    const name = 'x'.repeat(300);
    await assert.rejects(findLedger([name], { cwd: root }), /x: Could not look at it: ENAMETOOLONG/);
  });

  it('leaves a path that leads back to itself to the reader of manifests', async () => {
    const root = tree();
    symlinkSync('loop', join(root, 'loop'));
    assert.deepEqual(await found(root, ['loop']), { file: 'tether.ledger.json', folder: '', exists: false });
  });

  for (const target of ['../gone.json', 'tether.ledger.json']) {
    it(`takes no link to ${target}, where nothing is, for "no ledger yet"`, async () => {
      const root = tree('a/');
      symlinkSync(target, join(root, 'tether.ledger.json'));
      for (const flag of [{}, { flag: 'tether.ledger.json' }]) {
        await assert.rejects(
          findLedger(['a'], { cwd: root, ...flag }),
          new RegExp(`The ledger is a link to ${target}, which does not exist\\. Bring back`),
        );
      }
    });
  }

  describe('that --ledger names', () => {
    it('is none', async () => {
      assert.equal(await findLedger(['.'], { cwd: folder(), flag: 'none' }), 'none');
    });

    it('is a file, whatever else lies around', async () => {
      const root = tree('tether.ledger.json', 'a/tether.ledger.json', 'b/');
      assert.deepEqual(await findLedger(['.'], { cwd: root, flag: 'b/other.json' }), {
        file: join(root, 'b/other.json'),
        folder: join(root, 'b'),
        exists: false,
      });
    });

    it('is the one in a folder', async () => {
      const root = tree('a/tether.ledger.json');
      const place = await findLedger(['.'], { cwd: root, flag: 'a' });
      assert.ok(place !== 'none');
      assert.equal(place.file, join(root, 'a', 'tether.ledger.json'));
    });

    it('is refused in a folder that does not exist', async () => {
      await assert.rejects(
        findLedger(['.'], { cwd: folder(), flag: 'missing/x.json' }),
        /folder of this ledger does not exist/,
      );
    });

    it('is refused, without its password, when it is a database', async () => {
      for (const flag of [
        'postgres://u:hunter2@db/x',
        'postgresql://u:hunter2@db/x',
        'https://hunter2@x/y',
      ]) {
        await assert.rejects(
          findLedger(['.'], { cwd: folder(), flag }),
          (error) =>
            error instanceof LedgerError &&
            error.code === 'unsupported' &&
            /not built yet.*--ledger PATH/s.test(error.message) &&
            !error.message.includes('hunter2'),
        );
      }
    });
  });
});
