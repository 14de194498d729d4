/** Somebody else: what changed behind our back, what cannot be seen, what is wrong with the connection (30 to 38). */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { acme, bareHead, github, head, World } from '../../support/world';

const triggers = `runTriggers:
  - { target: app, sources: [network, dns] }
  - { target: web, source: app }
`;

describe('somebody else', () => {
  // Many processes, and machines of pipelines are slow.
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  async function given(text: string): Promise<void> {
    world.write('main.tether.yaml', head + text);
    await world.applyAndExpectNothing();
    world.writes();
  }

  function clientId(): string {
    return world.service.snapshot().oauthClients[0]?.id ?? '';
  }

  function triggerId(workspaceId: string, sourceableId: string): string {
    const all = world.service.snapshot().runTriggers;
    return all.find((one) => one.workspaceId === workspaceId && one.sourceableId === sourceableId)?.id ?? '';
  }

  it('scenario 30: drift names each field with was and is, what is gone and what is unmanaged; apply repairs', async () => {
    await given(`${github}    key: a-key
    agentPool: dmz
    organizationScoped: false
    projects: [payments]
${triggers}`);
    const api = world.somebody;
    await api.oauthClients.update(clientId(), {
      name: 'Theirs',
      key: 'their-key',
      agentPoolId: null,
      organizationScoped: true,
      projectIds: ['prj-search'],
    });
    await api.runTriggers.delete(triggerId('ws-web', 'ws-app'));
    await api.runTriggers.create('ws-app', 'ws-jobs');
    const { stdout } = await world.expect(2, ['drift']);
    for (const line of [
      /~ github {2}oc-\w+ {2}changed outside Tether/,
      /name +was "GitHub" → is "Theirs"/,
      /key +was "a-key" → is "their-key"/,
      /agentPool +was "dmz" → is none/,
      /organizationScoped +was false → is true/,
      /^ +github +- payments oc-\w+\/prj-payments \(gone; checked: /m,
      /\+ (search|prj-search) oc-\w+\/prj-search \(unmanaged; /,
      /^ +web +- app rt-\w+ \(gone; checked: run triggers of ws-web/m,
      /^ +app +\+ (jobs|ws-jobs) rt-\w+ \(unmanaged; /m,
      /^Drift: 1 changed, 2 gone, 2 unmanaged\.$/m,
      /^To put back what the manifests say \(what is unmanaged is deleted\): tether apply$/m,
      /^ +main\.tether\.yaml:\d+:\d+ {2}agentPool: null$/m,
      /^ +main\.tether\.yaml:\d+:\d+ {2}name: "Theirs"$/m,
      /^ +main\.tether\.yaml:\d+:\d+ {2}remove RunTrigger\/web\/app$/m,
      /^ +list RunTrigger\/app\/jobs, which is not listed under the sources of app, the exact set at main\.tether\.yaml:\d+:\d+$/m,
    ]) {
      assert.match(stdout, line);
    }
    await world.applyAndExpectNothing();
    assert.match((await world.expect(0, ['drift'])).stdout, /^No drift\.$/m);
  });

  it('is deleted of by an approval for one serial once, though no ledger held it', async () => {
    await given(triggers);
    const api = world.somebody;
    await api.runTriggers.create('ws-app', 'ws-jobs');
    const approved = `approved: [{ deletes: 1, serial: ${world.ledger.serial}, lineage: ${world.ledger.lineage.slice(0, 13)} }]\n`;
    world.write('main.tether.yaml', head + triggers + approved);
    const apply = ['apply', '--yes', '--max-deletes', '0'];
    await world.expect(0, apply);
    assert.equal(triggerId('ws-app', 'ws-jobs'), '');
    await api.runTriggers.create('ws-app', 'ws-jobs');
    const { stderr } = await world.expect(1, apply);
    assert.match(stderr, /deletes: 1, serial: 2/);
    assert.notEqual(triggerId('ws-app', 'ws-jobs'), '');
  });

  it('scenario 31: a field that both sides changed is a conflict with three values, and the manifest wins', async () => {
    await given(github);
    await world.somebody.oauthClients.update(clientId(), { name: 'Theirs' });
    world.write('main.tether.yaml', head + github.replace('name: GitHub', 'name: Ours'));
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /name +"Theirs" → "Ours"\n +conflict: /);
    assert.match(
      stdout,
      /last applied +"GitHub"\n.*changed elsewhere to +"Theirs"\n.*the manifest says +"Ours"/,
    );
    await world.applyAndExpectNothing();
    assert.equal(world.service.snapshot().oauthClients[0]?.name, 'Ours');
  });

  it('scenario 32: a client destroyed by hand is gone with evidence, and made again with its attachments', async () => {
    await given(`${github}projectAttachments:\n  - { oauthClient: github, project: payments }\n`);
    await world.somebody.oauthClients.delete(clientId());
    const { stdout } = await world.expect(2, ['drift']);
    assert.match(stdout, /- github {2}oc-\w+ {2}gone; checked: /);
    const planned = await world.expect(0, ['plan']);
    assert.match(planned.stdout, /^ +\+ github /m);
    assert.match(planned.stdout, /^ +github +\+ payments/m);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-payments']);
  });

  it('scenario 33: triggers of a workspace the token lost are unknown; everything else is planned', async () => {
    await given(triggers);
    const workspaces = {
      'ws-app': 'admin',
      'ws-docs': 'admin',
      'ws-network': 'readRuns',
      'ws-dns': 'readRuns',
    } as const;
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: true, workspaces } } } });
    const env = { TETHER_TOKEN: 'less' };
    const unchanged = await world.expect(1, ['plan'], { env });
    assert.match(unchanged.stdout, /\? RunTrigger\/web\/app {2}.*404/);
    assert.match(unchanged.stdout, /^Plan: 1 unknown, 2 unchanged\.$/m);
    await world.expect(1, ['drift'], { env });

    const edited = triggers
      .replace('network, dns', 'network')
      .concat('  - { target: docs, source: network }\n');
    world.write('main.tether.yaml', head + edited);
    const applied = await world.expect(1, ['apply', '--yes'], { env });
    assert.match(applied.stdout, /^ +docs +\+ network$/m);
    assert.match(applied.stdout, /^ +app +- dns rt-/m);
    assert.match(applied.stdout, /Left alone[\s\S]*RunTrigger\/web\/app[\s\S]*Apply: 2 done, 1 left alone\./);
    assert.doesNotMatch(applied.stdout, /(create|delete|forget|adopt) .*web/);
    assert.notEqual(triggerId('ws-web', 'ws-app'), '');

    // Also when its line is gone: what cannot be seen is not deleted either.
    world.write('main.tether.yaml', head + edited.replace('  - { target: web, source: app }\n', ''));
    const removed = await world.expect(1, ['plan'], { env });
    assert.match(removed.stdout, /^Plan: 1 unknown, 2 unchanged\.$/m);
  });

  it('scenario 33: what a list hides is never doubled, where the ledger does not know it and duplicates are accepted', async () => {
    await world.close();
    const behaviours = { 'lists-hide-unreadable': 'yes', 'duplicate-trigger': 'accept' };
    world = await World.start(acme, { behaviours });
    await world.somebody.runTriggers.create('ws-app', 'ws-network');
    await world.somebody.runTriggers.create('ws-jobs', 'ws-dns');
    const workspaces = { 'ws-app': 'admin', 'ws-docs': 'admin', 'ws-dns': 'readRuns' } as const;
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: true, workspaces } } } });
    // The list of app hides its source, that of dns hides its target.
    const lines = [
      '{ target: app, source: network }',
      '{ target: jobs, source: dns }',
      '{ target: docs, source: dns }',
    ];
    const written = lines.map((line) => `  - ${line}\n`).join('');
    world.write('main.tether.yaml', `${head}runTriggers:\n${written}`);
    const more = { env: { TETHER_TOKEN: 'less' } };
    world.writes();
    const { stdout } = await world.expect(0, ['plan'], more);
    assert.match(stdout, /access to 2 targets not checked/);
    assert.match(stdout, /access to 1 source not checked/);
    assert.match(stdout, /^Plan: 3 to create\./m);
    const { stderr } = await world.expect(1, ['apply', '--yes'], more);
    assert.match(stderr, /failed create RunTrigger\/app\/network: .*404.*admin access to ws-app/);
    assert.equal(world.service.snapshot().runTriggers.length, 3);
    const seen = await world.applyAndExpectNothing();
    assert.doesNotMatch(seen.stdout, / \+ /);
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: app, sources: [network] }]\n`);
    world.remove('tether.ledger.json');
    const covered = await world.expect(1, ['plan'], more);
    assert.match(covered.stdout, /\? RunTrigger\/app\/network.*\n? +.*404/);
  });

  it('scenario 34: an organization that the token may not see is unknown, and nothing is planned', async () => {
    world.service.patchSeed({ organizations: { beta: {} }, tokens: { 'beta-only': { beta: 'owner' } } });
    const env = { TETHER_TOKEN: 'beta-only' };
    world.write('main.tether.yaml', `${head}${triggers}`);
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', `${head}${triggers.replace('target: web', 'target: docs')}`);
    const { stdout } = await world.expect(1, ['plan'], { env });
    assert.match(stdout, /\? RunTrigger\/app\/network/);
    assert.doesNotMatch(stdout, /[+-] RunTrigger/);
    world.write('more.tether.yaml', `${bareHead}${github}`);
    assert.match((await world.expect(1, ['plan'], { env })).stderr, /^error: organization acme: not found/);
  });

  it('scenario 35: a revoked token and a misspelt organization are one sentence each, and nothing is planned', async () => {
    world.write('main.tether.yaml', `${head}${github}`);
    const revoked = await world.expect(1, ['plan'], { env: { TETHER_TOKEN: 'nobody-knows-it' } });
    assert.match(revoked.stderr, /^error: .*401.*TETHER_TOKEN.*\n$/);
    assert.equal(revoked.stdout, '');
    world.write('main.tether.yaml', `${head.replace('organization: acme', 'organization: amce')}${github}`);
    const misspelt = await world.expect(1, ['plan']);
    assert.match(misspelt.stderr, /amce/);
    assert.equal(misspelt.stderr.trim().split('\n').length, 1);
    assert.equal(misspelt.stdout, '');
  });

  it('scenario 36: many vanished at once stop apply until they are accepted; drift lists them', async () => {
    const names = ['network', 'dns', 'app', 'jobs', 'web', 'docs'];
    const pairs = names.flatMap((target) =>
      names
        .filter((source) => source !== target)
        .map((source) => `  - { target: ${target}, source: ${source} }\n`),
    );
    await given(`runTriggers:\n${pairs.slice(0, 20).join('')}`);
    for (const one of world.service.snapshot().runTriggers.slice(0, 5)) {
      await world.somebody.runTriggers.delete(one.id);
    }
    assert.match((await world.expect(2, ['drift'])).stdout, /Drift: 5 gone/);
    world.writes();
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /--accept-missing 5/);
    assert.deepEqual(world.writes(), []);
    const [, line] = /^ *- (\{ missing: 5, serial: \d+, lineage: \S+ \})$/m.exec(stderr) ?? [];
    world.write('approved.tether.yaml', `${bareHead}approved: [${line}]\n`);
    await world.expect(0, ['apply', '--yes']);
    assert.match((await world.expect(0, ['plan'])).stdout, /is obsolete: the ledger is at serial/);
    world.remove('approved.tether.yaml');
    for (const one of world.service.snapshot().runTriggers.slice(0, 5)) {
      await world.somebody.runTriggers.delete(one.id);
    }
    await world.applyAndExpectNothing(['--accept-missing', '5']);
  });

  it('scenario 37: what changed between the plan shown and the answer is named, and nothing is written', async () => {
    await given(github);
    world.write('main.tether.yaml', head + github.replace('name: GitHub', 'name: Ours'));
    let clock = Date.now();
    const asked: string[] = [];
    const ended = await world.here(['apply'], {
      now: () => clock,
      ask: async (question) => {
        asked.push(question);
        await world.somebody.oauthClients.update(clientId(), { name: 'Theirs' });
        world.writes();
        clock += 31_000;
        return true;
      },
    });
    assert.deepEqual(asked, ['Apply these changes?']);
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /stale plan: .* since it was shown for confirmation/);
    assert.match(ended.stdout, /name +"Theirs" → "Ours"/);
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 37: right before its PATCH a client is read again, so that even a fast change is not overwritten', async () => {
    await given(github);
    world.write('main.tether.yaml', head + github.replace('name: GitHub', 'name: Ours'));
    const ended = await world.here(['apply'], {
      ask: async () => {
        await world.somebody.oauthClients.update(clientId(), { name: 'Theirs' });
        world.writes();
        return true;
      },
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /✖ update OAuthClient\/github.*name/);
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 38: two folders with exact sets on one target undo each other, each marking the other unmanaged', async () => {
    for (const [folder, source] of [
      ['one', 'ws-network'],
      ['two', 'ws-dns'],
    ]) {
      mkdirSync(join(world.folder, folder ?? ''));
      world.write(
        `${folder}/main.tether.yaml`,
        `${bareHead}runTriggers:\n  - { target: ws-app, sources: [${source}] }\n`,
      );
    }
    await world.expect(0, ['apply', '--yes', 'one']);
    const second = await world.expect(0, ['apply', '--yes', 'two']);
    assert.match(second.stdout, /^ +ws-app .*- ws-network rt-\w+ \(unmanaged: /m);
    const first = await world.expect(0, ['plan', 'one']);
    assert.match(first.stdout, /^ +ws-app .*- ws-dns rt-\w+ \(unmanaged: /m);
    assert.match(first.stdout, /^ +ws-app +\+ ws-network/m);
  });
});
