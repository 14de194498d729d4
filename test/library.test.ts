/** The library as its page shows it: the program in docs/library.md, as it stands there, against the service. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService, type Service } from '../service';
import { linkedProject } from './support/linked-project';
import { root } from './support/pulumi-engine';
import { type Ended, runProcess } from './support/run-process';
import { temporaryFolder } from './support/temporary-folder';

const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
const [program = '', readWithNames = ''] = [...page.matchAll(/```js\n(.*?)```/gsu)].map(([, text]) => text);

describe('the library', () => {
  const folder = temporaryFolder();
  let service: Service;
  let before: number;

  beforeEach(async () => {
    linkedProject(folder());
    writeFileSync(join(folder(), 'program.cjs'), program);
    for (const file of ['aliases.tether.yaml', 'networking.tether.yaml']) {
      cpSync(join(root, 'examples/gitops', file), join(folder(), file));
    }
    service = await createService({ seed: join(root, 'examples/gitops/seed.yaml') });
    before = service.snapshot().runTriggers.length;
  });
  afterEach(() => service.close());

  const run = (token: string): Promise<Ended> =>
    runProcess(process.execPath, ['program.cjs'], {
      cwd: folder(),
      env: { ...process.env, TETHER_ADDRESS: service.url, TETHER_TOKEN: token },
    });

  it('plans and applies, and the second time finds nothing to do', async () => {
    const first = await run('acme-example-token');
    assert.deepEqual([first.code, first.stderr], [0, ''], first.stdout);
    assert.match(first.stdout, /Plan: 9 to create.*9 done, 0 failed/su);
    assert.equal(service.snapshot().runTriggers.length, before + 9);
    const second = await run('acme-example-token');
    assert.match(second.stdout, /No changes.*0 done, 0 failed/su);
  });

  it('reads manifests that refer to objects by name', async () => {
    const organizations = { acme: { workspaces: { 'ws-1': { name: 'app' }, 'ws-2': { name: 'network' } } } };
    const seed = { organizations, tokens: { 'owner-token': { acme: 'owner' } } } as const;
    const named = await createService({ seed, profile: 'hcp-terraform' });
    const header = 'apiVersion: tether/v1\norganization: acme\nprofile: hcp-terraform\n';
    mkdirSync(join(folder(), 'named'));
    writeFileSync(
      join(folder(), 'named/main.tether.yaml'),
      `${header}runTriggers: [{ target: app, source: network }]\n`,
    );
    const call = `
      const tether = require('tether-iac');
      const api = tether.createReadOnlyClient({ address: '${named.url}', token: 'owner-token' });
      process.chdir('named');
      readWithNames(tether, api, { ledger: tether.emptyLedger('acme'), place: 'tether.ledger.json' })
        .then(({ manifests }) => console.log(manifests.entries[0].inputs));`;
    writeFileSync(join(folder(), 'names.cjs'), `${readWithNames}${call}`);
    const { stdout, stderr } = await runProcess(process.execPath, ['names.cjs'], {
      cwd: folder(),
      env: process.env,
    });
    await named.close();
    assert.equal(stdout, "{ workspaceId: 'ws-1', sourceableId: 'ws-2' }\n", stderr);
  });

  it('says in one sentence what is wrong, and changes nothing', async () => {
    const { code, stderr } = await run('wrong-token');
    assert.equal(code, 1);
    assert.match(stderr, /token/u);
    assert.doesNotMatch(stderr, /wrong-token/u);
    assert.equal(service.snapshot().runTriggers.length, before);
  });
});
