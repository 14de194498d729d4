/** `--report markdown=FILE` by the real command line against the service. */
import assert from 'node:assert/strict';
import { readMermaid } from '../support/mermaid';
import { github, head, World } from '../support/world';

const trigger = (sources: string) => `runTriggers:\n  - { target: app, sources: [${sources}] }\n`;

describe('a report in Markdown', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', head + github + trigger('network'));
  });
  afterEach(() => world.close());

  const report = ['--report', 'markdown=r.md'];
  const pictureOf = (text: string) => readMermaid(/```mermaid\n(.*?)```/s.exec(text)?.[1] ?? '');

  it('is what plan, apply and drift say, each under a first line of its own', async () => {
    const { stdout } = await world.expect(0, ['plan', ...report]);
    const plan = world.read('r.md');
    assert.match(
      plan,
      /^<!-- tether-plan folder=\. -->\n### Plan: 2 to create\n\nOrganization `acme`, digest `[0-9a-f]{16}`\.\n/,
    );
    assert.ok(stdout.includes(/digest `(\w+)`/.exec(plan)?.[1] ?? '-'));
    assert.match(plan, /<summary>Changes: 2<\/summary>/);
    assert.deepEqual((await pictureOf(plan)).arrows, ['network → app (thick new)']);

    await world.expect(0, ['apply', '--yes', ...report]);
    assert.match(world.read('r.md'), /^<!-- tether-apply folder=\. -->\n### Apply: 2 done\n/);

    await world.expect(0, ['drift', ...report]);
    assert.match(world.read('r.md'), /^<!-- tether-drift folder=\. -->\n### No drift\n/);

    const [one] = await world.somebody.runTriggers.list('ws-app', 'inbound');
    await world.somebody.runTriggers.delete(one?.id ?? '');
    await world.expect(2, ['drift', ...report]);
    const drift = world.read('r.md');
    assert.match(drift, /### Drift: 1 gone\n/);
    assert.match(drift, /^- {3}.*app {2}- network/m);
    assert.deepEqual((await pictureOf(drift)).arrows, ['network → app (dotted removed)']);
  });

  it('names the folder, where it is not the one it was started in', async () => {
    world.write('infra/prod/main.tether.yaml', head + trigger('network'));
    await world.expect(0, ['plan', './infra/prod/', ...report]);
    assert.match(
      world.read('r.md'),
      /^<!-- tether-plan folder=infra\/prod -->\n.*\n\nOrganization `acme`, folder `infra\/prod`, digest /,
    );
  });

  it('shows what blocks an apply, and what to paste', async () => {
    await world.expect(0, ['apply', '--yes']);
    world.write('main.tether.yaml', head + trigger('network'));
    await world.expect(1, ['apply', '--yes', ...report]);
    const text = world.read('r.md');
    assert.match(text, /### Not applied: 1 to delete/);
    assert.match(text, /\*\*Blocked: 1 change needs approval\*\* \(below\)\./);
    assert.match(text, /\*\*Deleted or replaced: 1\*\*\n\n```diff\n# OAuth clients\n- .* github/);
    assert.match(text, /```yaml\n- \{ destroy: OAuthClient\/github, id: oc-\w+ \}\n```/);
  });

  it('says why a command failed, also before there is a plan, and keeps its first line', async () => {
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: nobody, source: app }]\n`);
    await world.expect(1, ['plan', ...report]);
    assert.match(
      world.read('r.md'),
      /^<!-- tether-plan folder=\. -->\n### Tether plan failed\n\n```text\n.*unknown-alias/s,
    );
    world.write('main.tether.yaml', head + github + trigger('network'));
    await world.expect(1, ['apply', '--yes', '--expect', 'abc', ...report]);
    assert.match(
      world.read('r.md'),
      /^<!-- tether-apply folder=\. -->\n### Tether apply failed\n.*stale plan/s,
    );
  });

  it('holds no secret, not even where a workspace is called like it', async () => {
    const secret = 's_e_c_r_e_t_v_a_l_u_e';
    const text = `${head}${github}runTriggers:\n  - { target: ${secret}, source: app }\n`;
    world.write('main.tether.yaml', text.replace('network: ws-network', `${secret}: ws-network`));
    await world.expect(0, ['plan', ...report], { env: { GIT_TOKEN: secret } });
    const written = world.read('r.md');
    assert.ok(written.includes('(secret)') || written.includes('#40;secret#41;'), written);
    assert.doesNotMatch(written, /s_e_c_r|s#95;e#95;c/);
  });

  it('is refused where there is nothing to review, and where it cannot be written', async () => {
    const validated = await world.expect(1, ['validate', ...report]);
    assert.match(validated.stderr, /Unknown format markdown \(supported: json\)/);
    const lost = await world.expect(1, ['plan', '--report', 'markdown=no/r.md']);
    assert.match(lost.stderr, /--report: no\/r\.md is in a folder that does not exist/);
    assert.deepEqual(world.writes(), []);
  });
});
