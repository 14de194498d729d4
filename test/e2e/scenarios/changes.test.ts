/** Changes: what an edit of the manifests does to what exists (scenarios 10 to 20). */
import assert from 'node:assert/strict';
import { acme, bareHead, github, head, World } from '../../support/world';

describe('changes of the manifests', () => {
  // Many processes, and machines of pipelines are slow.
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  /** Applies this as the only manifest, and forgets the requests. */
  async function given(text: string): Promise<void> {
    world.write('main.tether.yaml', head + text);
    await world.applyAndExpectNothing();
    world.writes();
  }

  function clients(): { id: string; name: string | null }[] {
    return world.service.snapshot().oauthClients.map(({ id, name }) => ({ id, name }));
  }

  function onlyId(): string {
    return clients()[0]?.id ?? '';
  }

  it('scenario 10: fields that an update carries are written in place, by one PATCH, with risky ones marked', async () => {
    const before = `${github}    secret: { fromEnv: OLD_SECRET }
    key: old-key
    organizationScoped: true
    agentPool: dmz
    projects: [payments]
`;
    const env = { OLD_SECRET: 'secret-canary-one', NEW_SECRET: 'secret-canary-two' };
    world.write('main.tether.yaml', head + before);
    await world.applyAndExpectNothing([], { env });
    const id = onlyId();
    const after = before
      .replace('name: GitHub', 'name: Git')
      .replace('old-key', 'new-key')
      .replace('OLD_SECRET', 'NEW_SECRET')
      .replace('organizationScoped: true', 'organizationScoped: false')
      .replace('agentPool: dmz', 'agentPool: null')
      .replace('[payments]', '[search]');
    world.write('main.tether.yaml', head + after);
    const { stdout } = await world.expect(0, ['plan'], { env });
    assert.match(stdout, /~ github {2}oc-/);
    for (const line of [
      /name +"GitHub" → "Git"/,
      /! key +"old-key" → "new-key"/,
      /! secret +\(secret, changed\)/,
      /! organizationScoped +true → false/,
      /agentPool +"dmz" → none/,
      /! narrower scope/,
      /^ +github +\+ search/m,
      /- payments oc-\w+\/prj-payments/,
    ]) {
      assert.match(stdout, line);
    }
    world.writes();
    await world.applyAndExpectNothing([], { env });
    const writes = world.writes();
    assert.equal(writes.filter((one) => one.startsWith('PATCH')).length, 1);
    assert.equal(writes.length, 3);
    const [client] = world.service.snapshot().oauthClients;
    assert.equal(client?.id, id);
    assert.deepEqual(
      [client?.name, client?.key, client?.organizationScoped, client?.agentPoolId],
      ['Git', 'new-key', false, null],
    );
  });

  const attachment = 'projectAttachments:\n  - { oauthClient: github, project: payments }\n';
  const elsewhere = `${head}${github.replace('https://git.example.com\n', 'https://git.example.org\n')}${attachment}`;

  it('scenario 11: a replacement waits for its approval, carries over, destroys last; the line is spent then', async () => {
    await given(github + attachment);
    const old = onlyId();
    await world.somebody.oauthClients.update(old, { key: 'set-by-hand' });
    world.write('main.tether.yaml', elsewhere);
    const { stdout } = await world.expect(0, ['plan']);
    const line = `- { replace: OAuthClient/github, id: ${old} }`;
    assert.match(stdout, /-\/\+ github {2}oc-\w+ {2}a new one takes its place/);
    assert.match(stdout, /this service does not say how many there are/);
    assert.match(stdout, /carried over: key "set-by-hand"/);
    assert.ok(stdout.includes(line), stdout);
    world.writes();
    const refused = await world.expect(1, ['apply', '--yes']);
    assert.ok(refused.stderr.includes(line));
    assert.match(
      refused.stderr,
      /^Stopped before the first write; nothing was changed\.\n\nBlocked: 1 change needs approval/,
    );
    assert.deepEqual(world.writes(), []);

    world.write('main.tether.yaml', `${elsewhere}approved:\n  ${line}\n`);
    const applied = await world.expect(0, ['apply', '--yes']);
    assert.match(applied.stdout, /Apply: \d+ done\./);
    const writes = world.writes();
    assert.equal(writes[0], 'POST /organizations/:organization_name/oauth-clients');
    assert.equal(writes.at(-1), 'DELETE /oauth-clients/:id');
    const [client, second] = world.service.snapshot().oauthClients;
    assert.equal(second, undefined);
    assert.notEqual(client?.id, old);
    assert.deepEqual(
      [client?.name, client?.httpUrl, client?.key, client?.projectIds],
      ['GitHub', 'https://git.example.org', 'set-by-hand', ['prj-payments']],
    );
    const again = await world.expect(0, ['plan']);
    assert.match(again.stdout, /No changes/);
    assert.match(again.stdout, /Warnings\n.*remove the `approved` line/);
  });

  it('scenario 12: a spent approval approves nothing else, since the id is another now', async () => {
    await given(github + attachment);
    const line = `- { replace: OAuthClient/github, id: ${onlyId()} }`;
    world.write('main.tether.yaml', `${elsewhere}approved:\n  ${line}\n`);
    await world.expect(0, ['apply', '--yes']);
    world.writes();
    world.write(
      'main.tether.yaml',
      `${elsewhere.replace('example.org', 'example.net')}approved:\n  ${line}\n`,
    );
    const later = await world.expect(1, ['apply', '--yes']);
    assert.ok(later.stderr.includes(`- { replace: OAuthClient/github, id: ${onlyId()} }`), later.stderr);
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 13: a removed client is destroyed only with approval', async () => {
    await given(`${github}runTriggers:\n  - { target: app, source: network }\n`);
    const rest = `${head}runTriggers:\n  - { target: app, source: network }\n`;
    world.write('main.tether.yaml', rest);
    const line = `- { destroy: OAuthClient/github, id: ${onlyId()} }`;
    assert.ok((await world.expect(0, ['plan'])).stdout.includes(line));
    assert.ok((await world.expect(1, ['apply', '--yes'])).stderr.includes(line));
    assert.equal(clients().length, 1);
    world.write('main.tether.yaml', `${rest}approved:\n  ${line}\n`);
    await world.applyAndExpectNothing();
    assert.deepEqual(clients(), []);
  });

  it('scenario 13: forget lets go without a call', async () => {
    await given(`${github}runTriggers:\n  - { target: app, source: network }\n`);
    world.write(
      'main.tether.yaml',
      `${head}runTriggers:\n  - { target: app, source: network }\nforget: [OAuthClient/github]\n`,
    );
    assert.match((await world.expect(0, ['plan'])).stdout, /∅ github .*forget/);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
    assert.equal(clients().length, 1);
    assert.equal(world.ledger.objects['OAuthClient/github'], undefined);
  });

  it('scenario 13: what was protected is not destroyed even with approval', async () => {
    await given(`${github}    protect: true\nrunTriggers:\n  - { target: app, source: network }\n`);
    const line = `- { destroy: OAuthClient/github, id: ${onlyId()} }`;
    world.write(
      'main.tether.yaml',
      `${head}runTriggers:\n  - { target: app, source: network }\napproved:\n  ${line}\n`,
    );
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /protect/);
    assert.equal(clients().length, 1);
  });

  it('scenario 14: a renamed address moves without a call', async () => {
    await given(github);
    world.write('main.tether.yaml', head + github.replace('github:', 'git:'));
    assert.match((await world.expect(0, ['plan'])).stdout, /→ git {2}oc-\w+ {2}from github/);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
    assert.deepEqual(Object.keys(world.ledger.objects), ['OAuthClient/git']);
  });

  it('scenario 15: a removed line deletes its trigger; one somebody made for the same pair is reported', async () => {
    await world.service.close();
    world = await World.start(undefined, { behaviours: { 'duplicate-trigger': 'accept' } });
    const two = 'runTriggers:\n  - { target: app, source: network }\n  - { target: web, source: app }\n';
    await given(two);
    await world.somebody.runTriggers.create('ws-app', 'ws-network');
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: web, source: app }\n`);
    const planned = await world.expect(0, ['plan']);
    assert.match(planned.stdout, /^ +app +- network rt-\w+ \(no longer in the manifests\)/m);
    assert.match(planned.stdout, /made by somebody else, still links this pair/);
    await world.expect(0, ['apply', '--yes']);
    const left = world.service.snapshot().runTriggers.map((one) => `${one.workspaceId}/${one.sourceableId}`);
    assert.deepEqual([...left].sort(), ['ws-app/ws-network', 'ws-web/ws-app']);
    assert.match((await world.expect(0, ['plan'])).stdout, /No changes/);
  });

  it('scenario 16: a changed secret is seen with a ledger, and not without; --write-secrets writes it', async () => {
    const withSecret = `${github}    secret: { fromEnv: SECRET }\n`;
    const [one, two] = ['canary-one', 'canary-two'].map((SECRET) => ({
      env: { SECRET },
    }));
    world.write('main.tether.yaml', head + withSecret);
    await world.applyAndExpectNothing([], one);
    const { stdout } = await world.expect(0, ['plan'], two);
    assert.match(stdout, /secret +\(secret, changed\)/);
    assert.doesNotMatch(stdout, /canary/);
    await world.applyAndExpectNothing([], two);
    await world.expect(0, ['plan', '--write-secrets'], two);
    world.writes();
    await world.expect(0, ['apply', '--yes', '--write-secrets'], two);
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });

  it('a secret that is added later is planned without its value, and written', async () => {
    await given(github.replace('    oauthTokenString: { fromEnv: GIT_TOKEN }\n', ''));
    const later = github.replace('oauthTokenString: { fromEnv: GIT_TOKEN }', 'secret: { fromEnv: SECRET }');
    world.write('main.tether.yaml', head + later);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /secret +\(secret, new\)/);
    assert.match((await world.expect(1, ['apply', '--yes'])).stderr, /SECRET is not set/);
    assert.deepEqual(world.writes(), []);
    await world.applyAndExpectNothing([], { env: { SECRET: 'canary-later' } });
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
    const withToken = `${later}    oauthTokenString: { fromEnv: GIT_TOKEN }\n`;
    world.write('main.tether.yaml', head + withToken);
    const replaced = await world.expect(1, ['apply', '--yes'], { env: { SECRET: 'canary-later' } });
    assert.match(
      `${replaced.stdout}${replaced.stderr}`,
      /oauthTokenString +\(secret, new; cannot change in place\)/,
    );
    assert.match(`${replaced.stdout}${replaced.stderr}`, /replace: OAuthClient\/github/);
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 17: a removed field is written no more and managed no more', async () => {
    await given(`${github}    key: a-key\n`);
    world.write('main.tether.yaml', head + github);
    await world.expect(0, ['plan']);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
    await world.somebody.oauthClients.update(onlyId(), { key: 'by-hand' });
    await world.expect(0, ['plan']);
    await world.expect(0, ['drift']);
  });

  it('scenario 18: a folder is the unit, and only validate takes files', async () => {
    world.write('one.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
    world.write('two.tether.yaml', `${bareHead}runTriggers:\n  - { target: ws-web, source: ws-app }\n`);
    await world.applyAndExpectNothing();
    const before = world.read('tether.ledger.json');
    world.writes();
    for (const paths of [['one.tether.yaml'], ['one.tether.yaml', 'two.tether.yaml'], ['.', '.']]) {
      for (const command of [['plan'], ['apply', '--yes'], ['drift'], ['destroy', '--yes']]) {
        const { stderr } = await world.expect(1, [...command, ...paths]);
        assert.match(stderr, /a folder is the unit; `tether validate` takes files/);
      }
    }
    assert.deepEqual(world.writes(), []);
    assert.equal(world.read('tether.ledger.json'), before);
    await world.expect(0, ['validate', 'one.tether.yaml', 'two.tether.yaml']);
  });

  it('scenario 70: a line that moves from one file to another changes nothing', async () => {
    const line = '  - { target: ws-web, source: ws-app }\n';
    world.write('one.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n${line}`);
    await world.applyAndExpectNothing();
    world.writes();
    world.write('one.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
    world.write('two.tether.yaml', `${bareHead}runTriggers:\n${line}`);
    assert.match((await world.expect(0, ['plan'])).stdout, /^No changes\./m);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
    assert.match(world.read('tether.ledger.json'), /two\.tether\.yaml/);
  });

  it('scenario 19: a deleted file takes its links with it, and its clients need approval', async () => {
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
    world.write(
      'more.tether.yaml',
      `${bareHead}${github}runTriggers:\n  - { target: ws-web, source: ws-app }\n`,
    );
    await world.applyAndExpectNothing();
    world.remove('more.tether.yaml');
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /^ +(web|ws-web) +- (app|ws-app) rt-/m);
    assert.match(stdout, /^ +- github {2}oc-/m);
    await world.approve(['apply', '--yes']);
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual(clients(), []);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });

  it('scenario 20: most of the triggers gone from the manifest need the line that is printed, once', async () => {
    const pairs = ['network', 'dns', 'jobs', 'web'].flatMap((target) =>
      ['app', 'docs', 'network'].filter((source) => source !== target).map((source) => [target, source]),
    );
    const lines = [...pairs, ['app', 'network']].slice(0, 12);
    const text = (some: readonly (readonly string[])[]): string =>
      `runTriggers:\n${some.map(([target, source]) => `  - { target: ${target}, source: ${source} }\n`).join('')}`;
    assert.equal(lines.length, 12);
    await given(text(lines));
    world.write('main.tether.yaml', head + text(lines.slice(8)));
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /--max-deletes 8/);
    assert.deepEqual(world.writes(), []);
    await world.expect(1, ['apply', '--yes', '--max-deletes', '7']);
    const approve = (count: number, printed: string): void => {
      const pattern = new RegExp(`^ *- (\\{ deletes: ${count}, serial: \\d+, lineage: \\S+ \\})$`, 'm');
      const [, line] = pattern.exec(printed) ?? [];
      world.write('main.tether.yaml', `${head}${text(lines.slice(8))}approved: [${line}]\n`);
    };
    approve(8, stderr);
    world.service.fault({ how: 'status', status: 422, method: 'DELETE', times: 6 });
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /The `approved` line is used up, with 6 deletes left/);
    assert.match((await world.expect(1, ['apply', '--yes'])).stderr, /deletes: 6/);
    approve(6, stdout);
    await world.expect(0, ['apply', '--yes']);
    assert.equal(world.service.snapshot().runTriggers.length, 4);
    const again = await world.expect(0, ['plan']);
    assert.match(again.stdout, /No changes/);
    assert.match(again.stdout, /Warnings\n.*is obsolete: the ledger is at serial/);
  });

  it('scenario 87: all triggers gone from the manifest need --max-deletes, however few they are', async () => {
    const four = ['network', 'dns', 'jobs', 'web'].map((source) => `{ target: app, source: ${source} }`);
    await given(`runTriggers: [${four.join(', ')}]\n`);
    world.write('main.tether.yaml', `${head}runTriggers: []\n`);
    for (const command of ['apply', 'destroy']) {
      assert.match((await world.expect(1, [command, '--yes'])).stderr, /--max-deletes 4/);
    }
    assert.deepEqual(world.writes(), []);
    await world.expect(0, ['apply', '--yes', '--max-deletes', '4']);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
  });

  it('scenario 77: two outbound sets swap targets that are full, in one run', async () => {
    await world.close();
    const others = Array.from({ length: 19 }, (_, index) => `ws-other${index}`);
    const full = (target: string) =>
      others.map((source) => [`rt-${target}-${source}`, { workspace: target, sourceable: source }] as const);
    const workspaces = Object.fromEntries([...others, 'ws-c', 'ws-d', 'ws-x', 'ws-y'].map((id) => [id, {}]));
    const runTriggers = Object.fromEntries([...full('ws-c'), ...full('ws-d')]);
    world = await World.start(
      { organizations: { acme: { workspaces, runTriggers } }, tokens: { 'owner-token': { acme: 'owner' } } },
      { profile: 'hcp-terraform' },
    );
    const sets = (first: string, second: string) =>
      `${bareHead}profile: hcp-terraform\nrunTriggers:\n  - { source: ws-x, targets: [${first}] }\n  - { source: ws-y, targets: [${second}] }\n`;
    world.write('main.tether.yaml', sets('ws-c', 'ws-d'));
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', sets('ws-d', 'ws-c'));
    await world.applyAndExpectNothing(['--max-deletes', '2']);
    const made = world.service.snapshot().runTriggers.filter((one) => !one.id.startsWith('rt-ws-'));
    assert.deepEqual(made.map(({ workspaceId, sourceableId }) => [workspaceId, sourceableId]).sort(), [
      ['ws-c', 'ws-y'],
      ['ws-d', 'ws-x'],
    ]);
  });

  it('scenario 76: projects are detached although the list does not show their client yet', async () => {
    await world.close();
    world = await World.start(acme, { behaviours: { 'create-hidden-ms': '3600000' } });
    await given(`${github}    projects: [payments, search]\n`);
    const drift = await world.expect(0, ['drift']);
    assert.match(drift.stdout, /No drift/);
    world.write('main.tether.yaml', `${head}${github}    projects: []\n`);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), ['DELETE /oauth-clients/:id/relationships/projects']);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, []);
  });

  it('scenario 81: protection counts from the ledger, until `protect: false` was applied', async () => {
    await given(`${github}    protect: true\n`);
    const id = onlyId();
    const moved = github.replace('https://git.example.com\n', 'https://git.example.org\n');
    const approved = `approved:\n  - { replace: OAuthClient/github, id: ${id} }\n`;
    for (const line of ['', '    protect: false\n']) {
      world.write('main.tether.yaml', head + moved + line + approved);
      const { stderr } = await world.expect(1, ['apply', '--yes']);
      assert.match(stderr, /OAuthClient\/github is protected.*apply `protect: false` alone first/);
      assert.deepEqual(world.writes(), []);
    }
    world.write('main.tether.yaml', head + github);
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', `${head}${github}    protect: false\n`);
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', head + moved + approved);
    await world.expect(0, ['apply', '--yes']);
    assert.notEqual(onlyId(), id);
  });
});
