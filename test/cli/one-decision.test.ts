/** `apply` of several folders: locks, plans and the question are for all of them, and so is the limit on losses. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { homeTimes } from '../../reconciler/ledger/home';
import { openStore } from '../../reconciler/ledger/open-store';
import type { LedgerStore } from '../../reconciler/ledger/store';
import type { SeedObject } from '../../service';
import { type RunningHome, startHome } from '../support/ledger-homes';
import { bob } from '../support/two-ledgers';
import { World } from '../support/world';

const folders = ['a', 'b', 'c'];
const sources = ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'];

const owner = Object.fromEntries(folders.map((name) => [name, 'owner' as const]));

/** Three organizations, each with a target and eight sources. */
const seed: SeedObject = {
  organizations: Object.fromEntries(
    folders.map((name) => [
      name,
      { workspaces: Object.fromEntries(['app', ...sources].map((end) => [`ws-${end}-${name}`, {}])) },
    ]),
  ),
  tokens: { 'owner-token': owner, owner },
};

/** An exact set with so many of the sources. */
function manifest(name: string, count: number, more = ''): string {
  const list = sources.slice(0, count).map((source) => `ws-${source}-${name}`);
  const set = `runTriggers: [{ target: ws-app-${name}, sources: [${list.join(', ')}] }]\n`;
  return `apiVersion: tether/v1\norganization: ${name}\n${set}${more}`;
}

describe('one decision over several folders', () => {
  let world: World;
  let count = 0;
  beforeEach(async () => {
    count += 1;
    world = await World.start(seed);
    writeAll(8);
  });
  afterEach(() => world.close());

  const writeAll = (size: number, more = (_: string) => '') => {
    for (const name of folders) world.write(manifest(name, size, more(name)), `${name}/main.tether.yaml`);
  };
  const applyAll = () => world.expect(0, ['apply', '--yes', ...folders]);
  const expectNothing = () => world.expect(0, ['plan', '--detailed-exitcode', ...folders]);
  const openLedger = (folder: string): LedgerStore =>
    openStore({ folder: `${world.folder}/${folder}`, organization: folder, cwd: world.folder, ledger: null });

  interface Document {
    readonly outcome: string;
    readonly blockers: readonly {
      readonly rule: string;
      readonly remedy: string;
      readonly folders: readonly object[];
    }[];
    readonly folders: readonly { readonly folder: string; readonly outcome: string }[];
  }

  it('says in the plan that two folders change one link, also if one of them is blocked', async () => {
    const folder = (name: string, trigger: string) =>
      world.write(
        `apiVersion: tether/v1\norganization: a\nrunTriggers: [${trigger}]\n`,
        `${name}/main.tether.yaml`,
      );
    folder('z', '{ target: ws-s1-a, source: ws-s3-a }');
    await world.expect(0, ['apply', '--yes', 'z']);
    folder('x', '{ target: ws-s1-a, source: ws-s2-a }');
    // A new exact set deletes the trigger of z only with a flag.
    folder('y', '{ target: ws-s1-a, sources: [ws-s2-a] }');
    const { stderr } = await world.expect(1, ['plan', 'x', 'y']);
    for (const name of ['x', 'y']) assert.ok(stderr.includes(`that of ${name} both change`), stderr);
  });

  it('ends two folders that change one link, and the others go on', async () => {
    await applyAll();
    const line = (name: string, source: string) =>
      `apiVersion: tether/v1\norganization: a\nrunTriggers: [{ target: ws-s1-a, source: ws-${source}-a }]\n# ${name}\n`;
    world.write(line('x', 's2'), 'x/main.tether.yaml');
    world.write(line('y', 's2'), 'y/main.tether.yaml');
    world.write(line('z', 's3'), 'z/main.tether.yaml');
    world.writes();
    for (const command of [['plan'], ['apply', '--yes']]) {
      const { stderr } = await world.expect(1, [...command, 'x', 'y', 'z']);
      assert.match(
        stderr,
        /this plan and that of y both change RunTrigger\/ws-s1-a\/ws-s2-a: declare it in one of them/,
      );
      assert.match(stderr, /this plan and that of x both change RunTrigger\/ws-s1-a\/ws-s2-a/);
    }
    assert.deepEqual(world.writes(), ['POST /workspaces/:workspace_id/run-triggers']);
    // One after the other, the second folder finds the link.
    await world.expect(0, ['apply', '--yes', 'x']);
    await world.expect(0, ['apply', '--yes', 'y']);
    assert.equal(world.writes().length, 1);
    await world.expect(0, ['plan', '--detailed-exitcode', 'x', 'y', 'z']);
  });

  describe('on the limit on losses', () => {
    beforeEach(async () => {
      await applyAll();
      world.writes();
    });

    it('scenario 88e: may not lose more than the largest limit of one folder, and the plan says so too', async () => {
      writeAll(6);
      const message =
        /These plans together have 6 losses .*, and the largest limit of one folder is 5: a \(2\), b \(2\), c \(2\)\. Check first what these folders share/;
      const applied = await world.expect(1, ['apply', '--yes', ...folders, '--markdown', 'apply.md']);
      assert.match(applied.stdout, message);
      assert.match(applied.stdout, /^ +to go on, add --max-deletes 6$/m);
      assert.match(applied.stdout, /^3 folders: 3 blocked$/m);
      const refusal =
        /^error: apply of these folders is blocked before its first write: to go on, add --max-deletes 6$/m;
      assert.match(applied.stderr, refusal);
      const report = world.read('apply.md');
      assert.match(report, message);
      // Whoever applied a folder alone would go around the limit on the sum.
      assert.deepEqual(report.match(/^.*Next: .*$/gm), [
        '`Next: resolve what blocks them, then run this command again`',
      ]);
      const planned = await world.expect(1, ['plan', ...folders]);
      assert.match(planned.stdout, message);
      assert.match(
        planned.stdout,
        /^a +a +blocked .* the folders lose too much together \(2 here\), see below$/m,
      );
      const { stdout } = await world.expect(1, ['plan', '--json', ...folders]);
      const { outcome, blockers } = JSON.parse(stdout) as Document;
      assert.deepEqual(
        [outcome, blockers.map(({ rule, remedy }) => [rule, remedy])],
        ['blocked', [['losses', '--max-deletes 6']]],
      );
      const losses = folders.map((folder) => ({ folder, losses: 2 }));
      assert.deepEqual(blockers[0]?.folders, losses);
      assert.match(JSON.stringify(blockers), message);
      await world.expect(1, ['apply', '--yes', ...folders, '--max-deletes', '5']);
      assert.deepEqual(world.writes(), []);
      await world.expect(0, ['apply', '--yes', ...folders, '--max-deletes', '6']);
      assert.equal(world.writes().length, 6);
      await expectNothing();
    });

    it('says first what blocks a folder alone, which the exit code of `plan` leaves open', async () => {
      world.write(manifest('b', 2), 'b/main.tether.yaml');
      const { stdout } = await world.expect(0, ['plan', ...folders, '--markdown', 'plan.md']);
      assert.match(stdout, /^3 folders: 2 without changes, 1 blocked\n\nFolder .*\nb +b +blocked /);
      const reason =
        'to go on, add --max-deletes 6 in a command for this folder alone, or here a number for the losses of all folders';
      assert.match(
        stdout,
        new RegExp(`^b +b +blocked +Plan: 6 to delete\\..* 1 blocker\\. +${reason}$`, 'm'),
      );
      assert.match(
        stdout,
        /\n\n3 folders: 2 without changes, 1 blocked\nNext: resolve what blocks them, then run this command again\n$/,
      );
      const { stdout: lifted } = await world.expect(0, ['plan', ...folders, '--max-deletes', '6']);
      assert.match(
        lifted,
        /^3 folders: 2 without changes, 1 with changes\nNext: tether apply a b c --max-deletes 6\n$/m,
      );
      assert.match(world.read('plan.md'), /^\*\*3 folders: 2 without changes, 1 blocked\*\*$/m);
      await world.expect(0, ['plan', ...folders, '--max-deletes', '6', '--markdown', 'plan.md']);
      assert.deepEqual(world.read('plan.md').match(/^.*Next: .*$/gm), [
        '`Next: tether apply a b c --max-deletes 6`',
      ]);
      await world.expect(2, ['plan', '--detailed-exitcode', ...folders]);
      const { stdout: json } = await world.expect(0, ['plan', '--json', ...folders]);
      const document = JSON.parse(json) as Document;
      assert.deepEqual(
        [document.outcome, ...document.folders.map(({ outcome }) => outcome)],
        ['blocked', 'done', 'blocked', 'done'],
      );
      writeAll(6);
      world.write(manifest('b', 2), 'b/main.tether.yaml');
      world.write(manifest('a', 4), 'a/main.tether.yaml');
      const both = await world.expect(1, ['plan', ...folders]);
      const applied = await world.expect(1, ['apply', '--yes', ...folders]);
      // What the others wait for comes first in the table, and last in the log.
      for (const { stdout: text } of [both, applied]) {
        assert.match(text, /^Folder .*\nb +b +blocked .*\na +a +blocked .*\nc +c +blocked .*\n/m);
        assert.match(
          text,
          /^3 folders: 3 blocked\nNext: resolve what blocks them, then run this command again\n$/m,
        );
      }
      assert.match(
        applied.stderr,
        /^error: apply of b is blocked .*: to go on, add --max-deletes 6 in a command/m,
      );
      const message =
        /✖ First resolve what blocks b, .* These plans together have 6 losses .*: a \(4\), c \(2\)\./;
      for (const { stdout: text } of [both, applied]) assert.match(text, message);
    });

    it('says in the row of a folder what it leaves alone, also if the sum holds it', async () => {
      const client = (id: string) =>
        `oauthClients: { git: { id: ${id}, name: Git, serviceProvider: provider_a, httpUrl: https://g.example.com, apiUrl: https://g.example.com } }\n`;
      writeAll(6);
      world.write(manifest('b', 6, client('oc-none')), 'b/main.tether.yaml');
      const { stdout } = await world.expect(1, ['plan', ...folders]);
      assert.match(
        stdout,
        /^b +b +blocked .* too much together \(2 here\), see below; OAuthClient\/git: .* adopt oc-none/m,
      );
      assert.match(stdout, /^a +a +blocked .* too much together \(2 here\), see below$/m);
    });

    it('says in the row which approval is missing', async () => {
      const url = 'https://git.example.com';
      const client = `oauthClients: { git: { name: Git, serviceProvider: provider_a, httpUrl: ${url}, apiUrl: ${url}, oauthTokenString: { fromEnv: GIT_TOKEN } } }\n`;
      world.write(manifest('b', 8, client), 'b/main.tether.yaml');
      const env = { ...world.env, GIT_TOKEN: 'a-token-of-git' };
      await world.expect(0, ['apply', '--yes', ...folders], { env });
      world.write(manifest('b', 8), 'b/main.tether.yaml');
      const { stdout } = await world.expect(0, ['plan', ...folders]);
      assert.match(
        stdout,
        /^b +b +blocked .*to go on, add approved: \[\{ destroy: OAuthClient\/git, id: oc-\w+ \}\]$/m,
      );
      assert.match(stdout, /^3 folders: 2 without changes, 1 blocked\n/);
    });

    it('counts no folder that is blocked or has an error, and applies the others', async () => {
      writeAll(6);
      world.write(manifest('b', 0), 'b/main.tether.yaml');
      world.write('nonsense: 1\n', 'c/main.tether.yaml');
      const { stdout } = await world.expect(1, ['apply', '--yes', ...folders]);
      assert.match(stdout, /^3 folders: 1 applied, 1 blocked, 1 failed$/m);
      assert.equal(world.writes().length, 2);
      world.write(manifest('a', 5), 'a/main.tether.yaml');
      const planned = await world.expect(1, ['plan', ...folders]);
      assert.doesNotMatch(planned.stdout, /These plans together/);
    });

    it('lifts the limit of each folder by a flag for the sum, but never a limit of 0', async () => {
      writeAll(6);
      world.write(manifest('b', 2), 'b/main.tether.yaml');
      world.remove('c/tether.ledger.json');
      const flag = ['--max-deletes', '20'];
      const { stdout } = await world.expect(1, ['apply', '--yes', ...folders, ...flag]);
      assert.match(stdout, /^3 folders: 2 applied, 1 blocked$/m);
      assert.match(stdout, /to go on, add --max-deletes 2 in a command for this folder alone$/m);
      assert.equal(world.writes().length, 8);
      await world.expect(0, ['apply', '--yes', 'c', '--max-deletes', '2']);
      assert.equal(world.writes().length, 2);
      await expectNothing();
    });

    it('notes a flag that no folder needs, once', async () => {
      writeAll(7);
      const { stdout } = await world.expect(0, ['plan', ...folders, '--max-deletes', '9']);
      assert.equal(stdout.match(/--max-deletes 9 is above the limit of 5/g)?.length, 1);
      writeAll(6);
      const needed = await world.expect(0, ['plan', ...folders, '--max-deletes', '9']);
      assert.doesNotMatch(needed.stdout, /is above the limit/);
    });
  });

  it('asks once, after all plans and their table, and names each service', async () => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return false;
    };
    const host = new URL(world.service.url).host;
    const { code, stdout, stderr } = await world.here(['apply', ...folders], { ask });
    assert.equal(code, 1);
    assert.deepEqual(questions, [`Apply these changes to a at ${host}, b at ${host}, c at ${host}?`]);
    assert.match(stdout, /^3 folders: 3 with changes\n\nFolder [\s\S]*^3 folders: 3 not applied\n\nFolder /m);
    assert.equal(stderr, 'Not applied; nothing was changed.\n');
    assert.deepEqual(world.writes(), []);
    const refused = await world.here(['apply', ...folders]);
    assert.equal(refused.code, 1);
    assert.equal(refused.stderr, 'error: not a terminal: pass --yes to apply without confirmation\n');
    await applyAll();
    await expectNothing();
  });

  it('locks in the order of the places with one id, which frees the locks of a killed run', async () => {
    const ids: string[] = [];
    const ask = async () => {
      for (const name of folders) {
        ids.push((JSON.parse(world.read(`${name}/tether.ledger.json.lock.json`)) as { ID: string }).ID);
      }
      return true;
    };
    const { code, stderr } = await world.here(['apply', '-v', 'c', 'a', 'b'], { ask });
    assert.equal(code, 0);
    assert.deepEqual(
      stderr.match(/^Locking .*$/gm),
      folders.map((name) => `Locking ${name}/tether.ledger.json`),
    );
    assert.equal(new Set(ids).size, 1);
    const elsewhere = { cwd: join(world.folder, 'b') };
    const below = await world.here(['apply', '--yes', '-v', '.', '../c', '../a'], elsewhere);
    const places = ['../a/tether.ledger.json', 'tether.ledger.json', '../c/tether.ledger.json'];
    assert.deepEqual(
      below.stderr.match(/^Locking .*$/gm),
      places.map((place) => `Locking ${place}`),
    );
    const [id = ''] = ids;
    for (const name of folders) await openLedger(name).lock({ ...bob, id }, 0);
    const freed = await world.expect(0, ['ledger', 'unlock', id, ...folders]);
    assert.match(freed.stdout, /^3 folders: 3 unlocked$/m);
    await expectNothing();
    await applyAll();
  });

  it('reads the manifests of all folders after the last lock that it waited for', async () => {
    const store = openLedger('c');
    await store.lock(bob, 0);
    const { poll } = homeTimes;
    homeTimes.poll = 20;
    const edit = (text: string) => {
      if (!text.includes('Locking c/')) return;
      world.write(manifest('a', 3), 'a/main.tether.yaml');
      void store.unlock();
    };
    const options = { onStderr: edit };
    const { code, stderr } = await world.here(
      ['apply', '--yes', '-v', '--lock-timeout', '60', ...folders],
      options,
    );
    homeTimes.poll = poll;
    assert.equal(code, 0, stderr);
    assert.equal(world.service.snapshot().runTriggers.length, 3 + 8 + 8);
    await expectNothing();
  });

  it('goes on without the folder that somebody else has locked', async () => {
    const store = openLedger('b');
    await store.lock(bob, 0);
    const { stdout } = await world.expect(1, ['apply', '--yes', ...folders]);
    assert.match(stdout, /^3 folders: 2 applied, 1 failed$/m);
    assert.match(stdout, /^b +b +failed +b\/tether\.ledger\.json is locked by bob@host/m);
    await store.unlock();
    await applyAll();
    await expectNothing();
  });

  it('says in the row of a folder who has locked its ledger', async () => {
    await applyAll();
    const store = openLedger('b');
    await store.lock(bob, 0);
    for (const command of ['plan', 'drift']) {
      const { stdout } = await world.expect(0, [command, ...folders]);
      assert.match(stdout, /^b +b +no .*\. +locked by bob@host .* since \d{4}-\S+Z$/m);
    }
    await world.somebody.runTriggers.delete(world.service.snapshot().runTriggers.at(-1)?.id ?? '');
    const { stdout } = await world.expect(2, ['drift', ...folders, '--markdown', 'drift.md']);
    assert.match(stdout, /^c .*: missing$/m);
    assert.match(world.read('drift.md'), /^\| `b` .*`locked by bob@host/m);
    await store.unlock();
  });

  it('refuses both of two folders whose ledgers are one and its copy', async () => {
    await applyAll();
    world.writes();
    world.write(manifest('a', 7), 'copy/main.tether.yaml');
    world.write(world.read('a/tether.ledger.json'), 'copy/tether.ledger.json');
    for (const command of [['plan'], ['drift'], ['apply', '--yes']]) {
      const { stderr, stdout } = await world.expect(1, [...command, 'a', 'copy', 'b']);
      assert.match(stderr, /^error: a: the ledger is a copy of that of copy \(lineage/m);
      assert.match(stderr, /^error: copy: the ledger is a copy of that of a \(lineage/m);
      assert.match(stdout, /^b +b +no /m);
    }
    assert.deepEqual(world.writes(), []);
  });

  it('makes the calls of single runs', async () => {
    const calls = ({ service }: World) =>
      service
        .requests()
        .map(({ method, url }) => `${method} ${url}`)
        .sort();
    const single = await World.start(seed);
    for (const name of folders) {
      single.write(manifest(name, 8), `${name}/main.tether.yaml`);
      await single.expect(0, ['apply', '--yes', name]);
    }
    const wanted = calls(single);
    await single.close();
    await applyAll();
    assert.deepEqual(calls(world), wanted);
  });

  it('names how many more reasons there are', async () => {
    await applyAll();
    for (const { id } of world.service.snapshot().runTriggers.slice(0, 3))
      await world.somebody.runTriggers.delete(id);
    const { stdout } = await world.expect(2, ['drift', ...folders]);
    assert.match(stdout, /^a +a +drifted .* RunTrigger\/ws-app-a\/ws-s\d-a: missing \(and 2 more\)$/m);
    assert.match(stdout, /^b +b +no drift +No drift\. 8 objects as last applied\.$/m);
  });

  describe('with ledgers on a server', () => {
    let home: RunningHome;
    before(async function () {
      home = await startHome('gitlab', this);
    });
    after(() => home.close());
    beforeEach(() => {
      home.proxy.decide = () => 'passes';
      writeAll(8, (name) => `ledger: ${home.line(`${name}-${count}`)}\n`);
    });
    const more = () => ({ env: { ...world.env, ...home.env } });

    it('has one --lock-timeout for all of them', async () => {
      const locks: string[] = [];
      const { poll } = homeTimes;
      homeTimes.poll = 20;
      const held = JSON.stringify({ ID: 'dead-1', Who: 'bob', Created: '2026-01-01T00:00:00Z' });
      const post = (name: string) =>
        fetch(`${home.line(`${name}-${count}`)}/lock`, {
          method: 'POST',
          body: held,
          headers: loginHeader(home),
        });
      for (const name of ['a', 'b']) assert.equal((await post(name)).status, 200);
      home.proxy.decide = (seen) => {
        if (home.isLock(seen)) locks.push(seen.url);
        return 'passes';
      };
      await world.expect(1, ['apply', '--yes', ...folders, '--lock-timeout', '1'], more());
      homeTimes.poll = poll;
      const attempts = folders.map(
        (name) => locks.filter((url) => url.includes(`/${name}-${count}/`)).length,
      );
      assert.ok((attempts[0] ?? 0) > 1, String(attempts));
      assert.deepEqual(attempts.slice(1), [1, 1]);
    });

    it('says in each output which lock stays where all steps are done', async () => {
      home.proxy.decide = ({ method }) => (method === 'DELETE' ? 'lost' : 'passes');
      for (const [first = '', ...others] of [['a'], ['b', 'c']]) {
        const paths = [first, ...others];
        const args = ['apply', '--yes', ...paths, '--json', '--markdown', 'apply.md'];
        const { stdout, stderr } = await world.expect(1, args, more());
        const why = /could not unlock \S+.* run `tether ledger unlock \S+`/;
        assert.match(stderr, why);
        type Failed = { outcome: string; result: object; error: { code: string; message: string } };
        const document = JSON.parse(stdout) as Failed & { folders?: readonly Failed[] };
        for (const { outcome, error, result } of document.folders ?? [document]) {
          assert.deepEqual([outcome, error?.code, typeof result], ['failed', 'ledger-error', 'object']);
          assert.match(error.message, why);
        }
        const report = world.read('apply.md');
        assert.equal(
          report.match(/### Tether apply of \w: failed\n\n```text\ncould not unlock /g)?.length,
          paths.length,
        );
        assert.equal(report.match(/\*\*Apply: 8 done\.\*\*/g)?.length, paths.length);
      }
      home.proxy.decide = () => 'passes';
    });

    it('unlocks side by side after Ctrl-C, and a second one names all locks and their folders', async () => {
      const unlocks: (() => void)[] = [];
      home.proxy.decide = ({ method }) => {
        if (method !== 'DELETE') return 'passes';
        return new Promise((resolve) => {
          unlocks.push(() => resolve('passes'));
          // No unlock is answered before all of them have arrived.
          if (unlocks.length === folders.length) for (const answer of unlocks) answer();
        });
      };
      const stop = new AbortController();
      const ask = async () => {
        stop.signal.dispatchEvent(new Event('quit'));
        stop.abort();
        throw stop.signal.reason;
      };
      const { code, stderr } = await world.here(['apply', ...folders], {
        ...more(),
        ask,
        signal: stop.signal,
      });
      assert.equal(code, 130);
      const places = folders.map((name) => home.line(`${name}-${count}`)).join(', ');
      assert.ok(stderr.includes(`${places} stay locked: run \`tether ledger unlock `), stderr);
      assert.match(stderr, /ledger unlock [\w-]+ a b c` when no run needs it$/m);
      assert.doesNotMatch(stderr, /may stay locked/);
      home.proxy.decide = () => 'passes';
      await world.expect(0, ['apply', '--yes', ...folders], more());
    });
  });
});

function loginHeader(home: RunningHome) {
  const { username, password } = new URL(home.env.TETHER_LEDGER_CREDENTIALS ?? '');
  return {
    Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'Content-Type': 'application/json',
  };
}
