/** Plan, apply, drift and destroy of one folder: what is asked, what stops, what is printed, and the exit codes. */
import assert from 'node:assert/strict';
import { bareHead, clientEntry, githubFields } from '../support/acme';
import { github, head, World } from '../support/world';

const triggers = (sources: string) => `${head}runTriggers:\n  - { target: app, sources: [${sources}] }\n`;

describe('a folder', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write(triggers('network'));
  });
  afterEach(() => world.close());

  const routes = () => world.service.snapshot().runTriggers.length;

  it('is planned with GET alone, applied, and then up to date', async () => {
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /^ {2}\+ app ← network/m);
    assert.match(stdout, /^Plan: 1 to create\. 0 unchanged\.\nDigest: [0-9a-f]+\nNext: tether apply\n$/m);
    assert.deepEqual(world.writes(), []);
    await world.expect(2, ['plan', '--detailed-exitcode']);
    assert.match((await world.expect(0, ['apply', '--yes'])).stdout, /^Apply: 1 done\.$/m);
    assert.match((await world.expect(0, ['plan', '--detailed-exitcode'])).stdout, /^No changes\./m);
    assert.match((await world.expect(0, ['drift'])).stdout, /^No drift\. 1 object as last applied\.$/m);
  });

  it('is recorded without a question where it only declares what is there', async () => {
    world.write(head + github);
    await world.applyAndExpectNothing();
    const [{ id = '' } = {}] = world.service.snapshot().oauthClients;
    await world.somebody.oauthClients.update(id, { agentPoolId: null, name: 'Theirs' });
    world.write(head + github.replace('name: GitHub', 'name: Theirs'));
    world.writes();
    assert.match((await world.expect(0, ['apply'])).stdout, /^No changes\./m);
    assert.deepEqual(world.writes(), []);
    assert.equal(world.saved.objects['OAuthClient/github']?.values?.name, 'Theirs');
    await world.somebody.oauthClients.update(id, { key: 'theirs' });
    const moved = github.replace('  github:', `  hub:\n    id: ${id}\n    key: theirs`);
    world.write(head + moved.replace('name: GitHub', 'name: Theirs'));
    await world.expect(0, ['apply', '--yes']);
    assert.equal(world.saved.objects['OAuthClient/hub']?.values?.key, 'theirs');
  });

  it('is applied after a question, and not after a no', async () => {
    const asked: string[] = [];
    const answering = (answer: boolean) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    const no = await world.here(['apply'], answering(false));
    assert.equal(no.code, 1);
    assert.match(no.stderr, /^Not applied; nothing was changed\.$/m);
    assert.equal(routes(), 0);
    assert.equal((await world.here(['apply'], answering(true))).code, 0);
    assert.equal((await world.here(['destroy'], answering(true))).code, 0);
    const acme = `acme at ${new URL(world.service.url).host}`;
    const changes = `Apply these changes to ${acme}?`;
    assert.deepEqual(asked, [changes, changes, `Destroy all of this in ${acme}?`]);
    assert.equal(routes(), 0);
    assert.deepEqual(world.saved.objects, {});
  });

  it('cannot be compared before its ledger is written', async () => {
    const { stdout } = await world.expect(1, ['drift']);
    assert.match(
      stdout,
      /^ {2}\S tether\.ledger\.json +no object is recorded there, so nothing was compared\. Restore it, or/m,
    );
    const digestOf = async () => /^Digest: .*/m.exec((await world.expect(0, ['plan'])).stdout)?.[0];
    const before = await digestOf();
    // An apply that can do nothing writes an empty ledger.
    world.service.fault({ method: 'POST', how: 'status', status: 422 });
    await world.expect(1, ['apply', '--yes']);
    assert.equal(await digestOf(), before);
    await world.expect(1, ['drift']);
    world.write(head);
    await world.expect(0, ['drift']);
  });

  it('is not applied without a terminal and without --yes', async () => {
    const { stderr, stdout } = await world.expect(1, ['apply']);
    assert.match(stderr, /not a terminal: pass --yes to apply without confirmation/);
    assert.match(stdout, /^Plan: 1 to create/m);
    assert.equal(routes(), 0);
  });

  it('holds the lock while it asks, and frees it afterwards', async () => {
    const asking = await world.here(['apply'], {
      ask: async () => {
        const { stderr } = await world.expect(1, ['apply', '--yes']);
        assert.match(stderr, /tether\.ledger\.json is locked by .*tether apply since .*--lock-timeout/);
        await world.expect(0, ['plan']);
        return false;
      },
    });
    assert.equal(asking.code, 1);
    await world.expect(0, ['apply', '--yes', '--lock-timeout', '1']);
  });

  /** An apply that waits for the lock while somebody writes this manifest. */
  const editedWhileItWaits = async (manifest: string) => {
    let second: ReturnType<World['here']> | undefined;
    await world.here(['apply'], {
      ask: () =>
        new Promise((resolve) => {
          const onStderr = (text: string) => {
            if (!text.startsWith('Locking')) return;
            world.write(manifest);
            resolve(false);
          };
          second = world.here(['apply', '--yes', '-v', '--lock-timeout', '60'], { onStderr });
        }),
    });
    return second;
  };

  it('scenario 49: is applied after a stale lock, with a note', async () => {
    world.write('{"ID":"dead-1","Who":"bob"}', 'tether.ledger.json.lock.json');
    const { stderr } = await world.expect(0, ['apply', '--yes']);
    assert.match(stderr, /^Removed a stale lock \(bob, since long ago\)/m);
  });

  it('that waited for the lock is applied as its manifests are then', async () => {
    assert.equal((await editedWhileItWaits(triggers('dns')))?.code, 0);
    assert.deepEqual(Object.keys(world.saved.objects), ['RunTrigger/ws-app/ws-dns']);
  });

  it('that waited for the lock is refused if its manifests name another organization by then', async () => {
    const ended = await editedWhileItWaits(triggers('dns').replace('acme', 'other'));
    assert.equal(ended?.code, 1);
    assert.match(ended.stderr, /`organization` or `ledger` was changed during the wait/);
  });

  it('scenario 50 and 80: is applied only as it was reviewed', async () => {
    const { stdout } = await world.expect(0, ['plan', '--json']);
    const { digest } = JSON.parse(stdout) as { digest: string };
    const forged = await world.expect(1, ['apply', '--yes', '--expect', 'f00']);
    assert.match(forged.stderr, /stale plan: .*digest f00.*tether apply --expect [0-9a-f]+/s);
    assert.match(forged.stdout, /^Plan: 1 to create/m);
    assert.equal(routes(), 0);
    await world.expect(0, ['apply', '--yes', '--expect', digest]);
    await world.expect(1, ['apply', '--yes', '--expect', digest]);
    world.write(triggers(''));
    const [, next = ''] = /^Digest: (\w+)/m.exec((await world.expect(0, ['plan'])).stdout) ?? [];
    const strict = { env: { TETHER_MAX_DELETES: '0' } };
    const blocked = await world.expect(1, ['apply', '--yes', '--expect', next], strict);
    assert.match(blocked.stdout, /to go on, add --max-deletes 1/);
    await world.expect(0, ['apply', '--yes', '--expect', next, '--max-deletes', '1'], strict);
  });

  it('scenario 80: is another plan once a line approves it, and not because of a blocker', async () => {
    world.write(head + github);
    await world.expect(0, ['apply', '--yes']);
    world.write(head);
    const digestOf = async (args: readonly string[]) => {
      const { stdout } = await world.here(['plan', ...args]);
      return /^Digest: (\w+)/m.exec(stdout)?.[1] ?? '';
    };
    const reviewed = await digestOf([]);
    await world.approve(['apply', '--yes']);
    world.writes();
    const { stderr } = await world.expect(1, ['apply', '--yes', '--expect', reviewed]);
    assert.match(stderr, new RegExp(`stale plan: .*digest ${reviewed}`));
    assert.deepEqual(world.writes(), []);
    const approved = await digestOf([]);
    assert.equal(await digestOf(['--max-deletes', '0']), approved);
    await world.expect(0, ['apply', '--yes', '--expect', approved]);
    assert.deepEqual(world.service.snapshot().oauthClients, []);
  });

  it('scenario 37: makes no client that somebody else made while it asked', async () => {
    world.write(head + github);
    const { code, stdout } = await world.here(['apply'], {
      ask: async () => {
        await world.somebody.oauthClients.create('acme', { ...githubFields, oauthTokenString: 'theirs' });
        return true;
      },
    });
    assert.equal(code, 1);
    assert.match(stdout, /with the same name, provider and URLs, was created since the plan was made/);
    assert.equal(world.service.snapshot().oauthClients.length, 1);
    assert.match((await world.expect(1, ['plan'])).stdout, /would be created beside a client/);
  });

  it('scenario 7: is planned without secrets, and not applied without all of them', async () => {
    const other = github.replaceAll('github', 'hub').replaceAll('GitHub', 'Hub').replace('GIT_', 'HUB_');
    world.write(`${head}${github}${other.replace('oauthClients:\n', '')}`);
    const env = { GIT_TOKEN: '' };
    await world.expect(0, ['validate'], { env });
    await world.expect(0, ['plan'], { env });
    const { stderr } = await world.expect(1, ['apply', '--yes'], { env });
    assert.match(stderr, /secrets to write are missing or refused; nothing was changed/);
    assert.match(stderr, /OAuthClient\/github oauthTokenString: .*GIT_TOKEN .*main\.tether\.yaml:\d+:\d+/);
    assert.match(stderr, /OAuthClient\/hub oauthTokenString: .*HUB_TOKEN is not set .*main\.tether\.yaml/);
    assert.deepEqual(world.writes(), []);
  });

  it('does not apply beside a secret that is refused, because its rotation would be skipped in silence', async () => {
    world.write(head + github);
    await world.applyAndExpectNothing();
    world.writes();
    const env = { GIT_TOKEN: 'rotated-canary ' };
    assert.match((await world.expect(0, ['plan'], { env })).stdout, /begins or ends with a blank/);
    const { stderr } = await world.expect(1, ['apply', '--yes'], { env });
    assert.match(stderr, /OAuthClient\/github oauthTokenString: .*GIT_TOKEN begins or ends with a blank/);
    assert.doesNotMatch(stderr, /rotated-canary/);
    assert.deepEqual(world.writes(), []);
    // Without a value, nobody rotates it.
    await world.expect(0, ['apply', '--yes'], { env: { GIT_TOKEN: '' } });
  });

  it('scenario 11: stops before the first write until a line approves, which it prints to be pasted', async () => {
    world.write(head + github);
    await world.applyAndExpectNothing();
    world.writes();
    world.write(
      head + github.replace('https://git.example.com\n', 'https://new.example.com\n'),
      'main.tether.yaml',
    );
    assert.match(
      (await world.expect(0, ['plan'])).stdout,
      /^Next: resolve what blocks it, then run this command again$/m,
    );
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /apply of acme is blocked before its first write: to go on, add approved: \[\{ /);
    assert.deepEqual(world.writes(), []);
    await world.approve(['apply', '--yes']);
    await world.applyAndExpectNothing();
  });

  it('scenario 20: needs --max-deletes beyond the limit, by flag or variable', async () => {
    world.write(triggers('network, dns, jobs, web'));
    await world.applyAndExpectNothing();
    world.write(triggers(''));
    assert.match((await world.expect(1, ['apply', '--yes'])).stdout, /to go on, add --max-deletes 4/);
    assert.equal(routes(), 4);
    const { stdout } = await world.expect(0, ['plan'], { env: { TETHER_MAX_DELETES: '4' } });
    assert.match(stdout, /^Next: tether apply$/m);
    assert.match(
      (await world.expect(0, ['plan', '--max-deletes', '4'])).stdout,
      /^Next: tether apply --max-deletes 4$/m,
    );
    const address = ['--address', world.service.url];
    const all = [...address, '--profile', 'default', '--max-deletes', '4'];
    const [, next = ''] = /^Next: tether (.*)$/m.exec((await world.expect(0, ['plan', ...all])).stdout) ?? [];
    for (const flag of all) assert.ok(next.includes(flag), next);
    // Every command that a `Next:` may name takes all of these flags.
    await world.expect(0, next.split(' ').with(0, 'plan'));
    await world.expect(0, [...next.split(' '), '--yes']);
    assert.equal(routes(), 0);
  });

  it('scenario 45: with a step that failed ends with 1, and the next apply does what is left', async () => {
    world.write(triggers('network, dns'));
    world.service.fault({ method: 'POST', how: 'status', status: 422, nth: 1 });
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /^Failed\n {2}✖ RunTrigger\/app\/\w+ .*422/m);
    assert.match(stdout, /^Apply: 1 done, 1 failed\.\nNext: fix the cause, then tether apply/m);
    world.service.clearFaults();
    await world.applyAndExpectNothing();
    world.service.fault({ method: 'DELETE', how: 'status', status: 422, nth: 1 });
    const destroyed = await world.expect(1, ['destroy', '--yes', '--max-deletes', '2']);
    assert.match(destroyed.stdout, /^Next: fix the cause, then tether destroy --max-deletes 2 \(/m);
  });

  it('scenario 88b: deletes nothing of its kind beside a `forget` line that names nothing, and says what it may have meant', async () => {
    world.write(triggers('network, dns'));
    await world.applyAndExpectNothing();
    for (const line of [
      'RunTrigger/network/app',
      'RunTrigger/ws-appp/network',
      'RunTrigger/ws-network/ws-app',
    ]) {
      world.write(`${head}forget: [${line}]\n`);
      for (const args of [['plan'], ['apply', '--yes'], ['destroy', '--yes']]) {
        const { stdout } = await world.expect(1, [...args, '--max-deletes', '2']);
        const message = `\`forget: [${line}]\` names nothing: did you mean \`RunTrigger/app/network\`?`;
        assert.ok(stdout.includes(message), stdout);
        assert.match(stdout, /^ +at main\.tether\.yaml:\d+:\d+$/m);
      }
    }
    assert.equal(routes(), 2);
    await world.somebody.runTriggers.create('ws-app', 'ws-jobs');
    world.write(`${triggers('network, dns')}forget: [RunTrigger/jobs/app]\n`);
    assert.match((await world.expect(2, ['drift'])).stdout, /^Drift: 1 added\. 2 as last applied\.$/m);
    await world.expect(1, ['apply', '--yes']);
    assert.equal(routes(), 3);
    world.write(`${head}forget: [RunTrigger/app/network]\n`);
    await world.applyAndExpectNothing();
    assert.equal(routes(), 2);
  });

  it('quotes a `forget` line as it is written, with its place', async () => {
    world.write(`${triggers('network')}forget: [RunTrigger/ws-dns/ws-jobs]\n`);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(
      stdout,
      /^Notes\n.*The line `forget: \[RunTrigger\/ws-dns\/ws-jobs\]` names nothing .*\n {6}at main\.tether\.yaml:\d+:10$/m,
    );
  });

  it('scenario 33: that this token cannot read ends with 1, and nothing is done there', async () => {
    await world.applyAndExpectNothing();
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: true } } } });
    world.writes();
    const env = { TETHER_TOKEN: 'less' };
    for (const args of [['plan'], ['apply', '--yes'], ['drift']]) {
      const next =
        args[0] === 'drift' ? '' : '\nDigest: .*\nNext: do what the rows above say, then tether plan\n';
      assert.match((await world.expect(1, args, { env })).stdout, new RegExp(`\\d unknown\\.${next}$`, 'm'));
    }
    assert.deepEqual(world.writes(), []);
  });

  it('without manifests and with a ledger is an error: nothing is deleted because files are missing', async () => {
    await world.applyAndExpectNothing();
    world.remove('main.tether.yaml');
    for (const args of [['plan'], ['apply', '--yes'], ['destroy', '--yes'], ['drift']]) {
      const { stderr } = await world.expect(1, args);
      assert.match(stderr, /has a ledger .*Nothing was deleted: restore the manifests/s);
    }
    assert.equal(routes(), 1);
  });

  it('is planned with warnings on stderr, each once', async () => {
    world.write(
      `${head}runTriggers: [{ target: app, source: dns }, { target: dns, source: app }]\n`,
      'main.tether.yaml',
    );
    const { stderr } = await world.expect(0, ['plan']);
    assert.equal(stderr.match(/ warning /g)?.length, 1, stderr);
    assert.equal((await world.expect(0, ['plan', '-q'])).stderr, '');
  });

  it('is valid with a warning if it lacks what a create needs, and planned without one if it exists', async () => {
    const server = clientEntry('server', { serviceProvider: 'provider_c_server' });
    world.write(`${bareHead}oauthClients:\n${server}    privateKey: { fromEnv: KEY }\n`);
    const warning =
      /needed-to-create\n {2}if it is not in the ledger yet, OAuthClient\/server must be created/;
    assert.doesNotMatch((await world.expect(0, ['validate'])).stdout, /warning/);
    await world.applyAndExpectNothing([], { env: { KEY: 'canary-key' } });
    world.write(`${bareHead}oauthClients:\n${server}`);
    const { stdout } = await world.expect(0, ['validate']);
    assert.match(stdout, warning);
    assert.match(stdout, /^Valid: 1 object, 1 warning, 1 file read\.$/m);
    assert.equal((await world.expect(0, ['plan'])).stderr, '');
    world.write(`${bareHead}oauthClients:\n${server}    id: oc-1\n`);
    assert.doesNotMatch((await world.expect(0, ['validate'])).stdout, /warning/);
  });

  it('with names, planned at an address without /api/v2, is told what the address lacks', async () => {
    world.write(`profile: hcp-terraform\n${bareHead}runTriggers: [{ target: app, source: network }]\n`);
    const address = world.service.url.replace('/api/v2', '');
    const { stdout } = await world.expect(1, ['plan', '--address', address]);
    assert.match(stdout, /address http:\/\/127\.0\.0\.1:\d+ \(it does not end in \/api\/v2\)/);
  });

  it('logs requests with -v, and with -q only errors', async () => {
    assert.match((await world.expect(0, ['plan', '-v'])).stderr, /^GET \/workspaces\/.* 200 \d+ ms$/m);
    assert.equal((await world.expect(0, ['plan'])).stderr, '');
    const quiet = await world.expect(1, ['apply', '-q']);
    assert.match(quiet.stderr, /^error: not a terminal.*\n$/);
  });

  it('shows progress on a terminal, and clears it before it prints', async () => {
    const { stderr, stdout } = await world.here(['plan'], { terminal: true });
    assert.ok(stderr.includes('\r\u001b[KReading… \r\u001b[K'), stderr);
    assert.doesNotMatch(stdout, /Reading/);
  });
});
