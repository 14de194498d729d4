/** Whose the ledger of a folder is: another organization, one that was renamed, and manifests that are gone (scenarios 51 and 73). */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { acme, github, head, World } from '../../support/world';

const links =
  'projectAttachments:\n  - { oauthClient: github, project: payments }\nrunTriggers:\n  - { target: app, source: network }\n  - { target: web, source: app }\n';
const text = `${head}${github}${links}`;
const commands = [['plan'], ['drift'], ['apply', '--yes'], ['destroy', '--yes']];

describe("the ledger's organization", () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', text);
    await world.applyAndExpectNothing();
    world.writes();
  });
  afterEach(() => world.close());

  /** Every command is refused with this, and neither the service nor the ledger is touched. */
  async function expectRefused(...messages: readonly RegExp[]): Promise<void> {
    const before = world.read('tether.ledger.json');
    for (const command of commands) {
      const { stderr } = await world.expect(1, command);
      for (const message of messages) assert.match(stderr, message, command.join(' '));
    }
    assert.equal(world.read('tether.ledger.json'), before);
    assert.deepEqual(world.service.requests(), []);
  }

  it('scenario 73: is not that of a misspelt line: an error there, and nothing is adopted or deleted', async () => {
    world.write('main.tether.yaml', text.replace('organization: acme', 'organization: acmee'));
    await expectRefused(
      /main\.tether\.yaml:2:15 {2}error {2}other-ledger/,
      /of `acmee`, and the ledger of this folder is of `acme`: nothing was planned/,
      /> 2 \| organization: acmee/,
      /A slip: correct this line/,
    );
    const { stdout } = await world.expect(1, ['plan', '--json']);
    const { issues } = JSON.parse(stdout) as { issues: readonly { at: { line: number; column: number } }[] };
    assert.deepEqual([issues[0]?.at.line, issues[0]?.at.column], [2, 15]);
  });

  it('scenario 51: stops every command when it is another one than that of the manifests', async () => {
    const ledger = world.read('tether.ledger.json');
    world.write('tether.ledger.json', ledger.replace('"organization": "acme"', '"organization": "beta"'));
    await expectRefused(/of `acme`, and the ledger of this folder is of `beta`/);
  });

  it('follows a rename at the service by one edit in the manifest and one in the ledger', async () => {
    await renameAtTheService('acme-corp');
    world.write('main.tether.yaml', text.replace('organization: acme', 'organization: acme-corp'));
    await expectRefused(
      /Renamed at the service: write `"organization": "acme-corp"` in tether\.ledger\.json too/,
    );
    const ledger = world.read('tether.ledger.json');
    world.write(
      'tether.ledger.json',
      ledger.replace('\n  "organization": "acme"', '\n  "organization": "acme-corp"'),
    );
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /^No changes\. 4 objects up to date\.$/m);
    await world.applyAndExpectNothing();
    await world.expect(0, ['drift']);
    assert.deepEqual(world.writes(), []);
    assert.ok(!world.read('tether.ledger.json').includes('"acme"'));
  });

  it('is no reason to delete anything when the last manifest is gone, and says how to', async () => {
    world.remove('main.tether.yaml');
    await expectRefused(
      /no manifest in \., but its ledger holds 4 objects of acme: nothing was planned/,
      /keep one manifest with only `apiVersion`, `profile` and `organization`, and run `tether destroy`/,
    );
    world.write('empty.tether.yaml', 'apiVersion: tether/v1\norganization: acme\n');
    const { stderr } = await world.expect(1, ['destroy', '--yes', '--max-deletes', '9']);
    const line = /- \{ destroy: OAuthClient\/github, id: oc-[^ ]+ \}/.exec(stderr)?.[0] ?? '';
    world.write('empty.tether.yaml', `apiVersion: tether/v1\norganization: acme\napproved:\n  ${line}\n`);
    await world.expect(0, ['destroy', '--yes', '--max-deletes', '9']);
    assert.deepEqual(world.ledger.objects, {});
    assert.deepEqual(world.service.snapshot().oauthClients, []);
  });

  /** The same objects under another name of their organization, as a service that can rename it would show them. */
  async function renameAtTheService(name: string): Promise<void> {
    const { oauthClients, runTriggers } = world.service.snapshot();
    const { workspaces, projects, agentPools } = acme.organizations?.acme ?? {};
    const seed: SeedObject = {
      organizations: {
        [name]: {
          ...(workspaces && { workspaces }),
          ...(projects && { projects }),
          ...(agentPools && { agentPools }),
          oauthClients: Object.fromEntries(
            oauthClients.map(({ id, name: label, serviceProvider, httpUrl, apiUrl, projectIds }) => [
              id,
              {
                ...(label === null ? {} : { name: label }),
                serviceProvider,
                httpUrl,
                apiUrl,
                projects: [...projectIds],
              },
            ]),
          ),
          runTriggers: Object.fromEntries(
            runTriggers.map(({ id, workspaceId, sourceableId }) => [
              id,
              { workspace: workspaceId, sourceable: sourceableId },
            ]),
          ),
        },
      },
      tokens: { 'owner-token': { [name]: 'owner' } },
    };
    world.service.seed(seed);
    world.service.clearRequests();
  }
});
