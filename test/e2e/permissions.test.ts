/** Each row of docs/permissions.md: a token of exactly these grants does the work, and one with less changes nothing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedGrant } from '../../service';
import { acme, github, head, World } from '../support/world';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'permissions.md'), 'utf8');

type Level = 'admin' | 'readRuns' | null;

/** What a token is granted, by the columns of the page. */
interface Grants {
  readonly vcs: boolean;
  readonly targets: Level;
  readonly sources: Level;
}

interface Row extends Grants {
  readonly folder: string;
  readonly commands: readonly string[];
  /** Whether the work cannot be done with less. */
  readonly isNeeded: boolean;
}

const levels: Readonly<Record<string, Level>> = { '–': null, 'read runs': 'readRuns', admin: 'admin' };

function level(cell: string): Level {
  const found = levels[cell];
  assert.notEqual(found, undefined, `the page names the level ${cell}`);
  return found ?? null;
}

const rows: readonly Row[] = page
  .split('\n')
  .filter((line) => /^\| .* \| `(?:plan|apply|drift|destroy|validate)`/.test(line))
  .map((line) => {
    const [folder = '', commands = '', vcs = '', targets = '', sources = '', less = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return {
      folder,
      commands: [...commands.matchAll(/`(\w+)`/g)].map(([, command = '']) => command),
      vcs: vcs === 'manage',
      targets: level(targets),
      sources: level(sources),
      isNeeded: less.startsWith('exit code 1'),
    };
  });

const restricting = '    organizationScoped: false\n    projects: [payments]\n';
const triggers = `${head}runTriggers:\n  - { target: app, source: network }\n`;
const folders: Readonly<Record<string, string>> = {
  clients: head + github,
  'clients with projects': head + github + restricting,
  triggers,
  'triggers, all in the ledger': triggers,
};
const networked = new Set(['plan', 'apply', 'drift', 'destroy', 'show']);

/** By name, each right that the row names taken away or made smaller. */
function lesser({ vcs, targets, sources }: Grants): readonly (readonly [string, Grants])[] {
  return [
    ...(vcs ? [['without VCS settings', { vcs: false, targets, sources }] as const] : []),
    ...(targets === 'admin'
      ? [['that only reads the target', { vcs, targets: 'readRuns', sources }] as const]
      : []),
    ...(targets === null ? [] : [['without the target', { vcs, targets: null, sources }] as const]),
    ...(sources === null ? [] : [['without the source', { vcs, targets, sources: null }] as const]),
  ];
}

function grantOf({ vcs, targets, sources }: Grants): SeedGrant {
  const workspaces = {
    ...(targets === null ? {} : { 'ws-app': targets }),
    ...(sources === null ? {} : { 'ws-network': sources }),
  };
  return { manageVcsSettings: vcs, workspaces };
}

describe('the page of permissions', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(acme);
  });
  afterEach(() => world.close());

  /** A token of these grants, as the environment of a run. */
  function having(grants: Grants) {
    world.service.patchSeed({ tokens: { restricted: { acme: grantOf(grants) } } });
    return { env: { TETHER_TOKEN: 'restricted' } };
  }

  /** What stands before the command: nothing for a create, all of it for what reads or deletes. */
  async function given(text: string, command: string): Promise<string[]> {
    world.write('main.tether.yaml', text);
    if (!['apply', 'plan'].includes(command)) await world.expect(0, ['apply', '--yes']);
    if (command === 'destroy' && text !== triggers) await world.approve(['destroy', '--yes']);
    world.writes();
    return command === 'apply' || command === 'destroy' ? [command, '--yes'] : [command];
  }

  const state = () => {
    const { oauthClients, runTriggers } = world.service.snapshot();
    return { clients: oauthClients.map(({ id }) => id), triggers: runTriggers.map(({ id }) => id) };
  };

  it('has rows for each kind of folder, and names every command that has calls', () => {
    assert.deepEqual([...new Set(rows.map(({ folder }) => folder))], [...Object.keys(folders), 'any']);
    assert.deepEqual(
      new Set(rows.flatMap(({ commands }) => commands).filter((one) => networked.has(one))),
      networked,
    );
  });

  for (const { folder, commands, isNeeded, ...grants } of rows.filter((row) => row.folder in folders)) {
    for (const command of commands) {
      it(`is right: ${folder}, ${command}, with exactly that`, async () => {
        const args = await given(folders[folder] ?? '', command);
        await world.expect(0, args, having(grants));
        if (command === 'apply') {
          assert.match((await world.expect(0, ['plan'], having(grants))).stdout, /^No changes\./m);
        }
        if (command === 'destroy') assert.deepEqual(state(), { clients: [], triggers: [] });
      });

      for (const [what, less] of isNeeded ? lesser(grants) : []) {
        it(`is right: ${folder}, ${command}, with a token ${what}`, async () => {
          const args = await given(folders[folder] ?? '', command);
          const before = state();
          const ended = await world.here(args, having(less));
          assert.deepEqual([ended.code, state()], [1, before], ended.stdout + ended.stderr);
        });
      }
    }
  }

  it('is right: validate, schema and ledger need no token', async () => {
    const { commands } = rows.find(({ folder }) => folder === 'any') ?? { commands: [] };
    assert.deepEqual(commands, ['validate', 'schema', 'ledger']);
    await given(folders.clients ?? '', 'show');
    const none = { env: { TETHER_TOKEN: '', TETHER_ADDRESS: '' } };
    for (const args of [['validate'], ['schema'], ['ledger', 'show']]) await world.expect(0, args, none);
  });
});
