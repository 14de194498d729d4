/** A ledger and a journal as version 0.1.0 wrote them, with their manifests: later code reads them and plans nothing. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createService, type Service } from '../../service';
import { tether } from '../support/cli';
import { root } from '../support/pulumi-engine';
import { temporaryFolder } from '../support/temporary-folder';

// The run was killed after its last write, when it was about to fold the journal into the ledger; one client was adopted.
const golden = join(root, 'test/e2e/golden');

describe('the ledger and the journal of version 0.1.0', () => {
  let service: Service;
  const folder = temporaryFolder();
  before(async () => {
    service = await createService({ seed: join(golden, 'service.yaml'), profile: 'hcp-terraform' });
  });
  beforeEach(() => {
    cpSync(join(golden, 'manifests'), folder(), { recursive: true });
  });
  after(() => service.close());

  const run = (...args: readonly string[]) =>
    tether(args, {
      cwd: folder(),
      env: {
        TETHER_ADDRESS: service.url,
        TETHER_TOKEN: 'owner-token',
        GITHUB_TOKEN: 'golden-github',
      },
    });

  it('are read by plan and drift, which find nothing', async () => {
    const planned = await run('plan', '--detailed-exitcode');
    assert.equal(planned.code, 0, planned.stdout + planned.stderr);
    assert.match(planned.stdout, /^No changes\. 10 objects up to date\.$/mu);
    const drifted = await run('drift');
    assert.equal(drifted.code, 0, drifted.stdout + drifted.stderr);
  });

  it('become one ledger by an apply that sends no write, and then there is nothing to do', async () => {
    service.clearRequests();
    const applied = await run('apply', '--yes');
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    assert.deepEqual(
      service.requests().filter(({ method }) => method !== 'GET'),
      [],
    );
    assert.deepEqual(readdirSync(folder()).sort(), [
      'links.tether.json',
      'tether.ledger.json',
      'tether.tether.yaml',
    ]);
    const { objects } = JSON.parse(readFileSync(join(folder(), 'tether.ledger.json'), 'utf8')) as {
      readonly objects: Readonly<Record<string, { readonly id: string }>>;
    };
    assert.equal(objects['RunTrigger/ws-dns/ws-cluster']?.id, 'rt-PvnMMriLs4RFvhiF');
    assert.equal((await run('plan', '--detailed-exitcode')).code, 0);
  });
});
