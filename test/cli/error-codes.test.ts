/** What ended a run has a stable code in JSON, and each code is in one list, from which the reference is made. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError, errorCode, OperationalError } from '../../client/errors';
import { errorCodes } from '../../tools/generated/error-codes';
import { github, head, World } from '../support/world';

const root = join(__dirname, '..', '..', '..');

/** Bases, and what a run of the command line turns into another error or cannot meet. */
const unmet = new Set([
  'OperationalError',
  'ApiError',
  'UserError',
  'LedgerError',
  'LedgerMismatch',
  'LedgerMoved',
  'OutputRefused',
  'PlanBlocked',
  'ReadOnly',
  'ReportUnwritten',
]);

/** Names of all errors that explain themselves, by the sources of these folders. */
function errorNames(): string[] {
  return ['cli', 'client', 'manifest', 'observation', 'reconciler', 'resources']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(root, folder, file),
      ),
    )
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(
        /^export class (\w+) extends (?:OperationalError|UserError|ApiError|Invalid|LedgerError)\b/gm,
      ),
    ])
    .map(([, name = '']) => name);
}

describe('codes of errors', () => {
  it('are there for every class that a run can end with', () => {
    const names = errorNames().filter((name) => !unmet.has(name));
    assert.ok(names.length > 10, names.join());
    for (const name of names) {
      const error = Object.defineProperty(new OperationalError('any'), 'name', { value: name });
      assert.ok(errorCode(error) in errorCodes, `${name}: ${errorCode(error)}`);
    }
    assert.equal(
      errorCode(
        new ApiError('', 'rejected', { method: '', route: '', status: null, attempts: 1, details: [] }),
      ),
      'api-error',
    );
    assert.equal(errorCode(new TypeError('any')), 'bug');
  });

  it('are there for every reason why a ledger cannot be used', () => {
    const text = readFileSync(join(root, 'reconciler', 'ledger', 'disk.ts'), 'utf8');
    const [, union = ''] = /type LedgerErrorCode =([^;]*);/.exec(text) ?? [];
    const reasons = [...union.matchAll(/'(\w+)'/g)].map(([, reason]) => `ledger-${reason}`);
    assert.ok(reasons.length > 4, union);
    assert.deepEqual(
      reasons.filter((code) => !(code in errorCodes)),
      [],
    );
  });

  it('stand in the reference', () => {
    const reference = readFileSync(join(root, 'docs', 'reference', 'json.md'), 'utf8');
    for (const [code, meaning] of Object.entries(errorCodes)) {
      assert.ok(reference.includes(`| \`${code}\` | ${meaning} |`), code);
    }
  });

  describe('of runs', () => {
    let world: World;
    beforeEach(async () => {
      world = await World.start();
      world.write('main.tether.yaml', head + github);
    });
    afterEach(() => world.close());

    const runs: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
      ['usage', ['plan', '--nothing'], {}],
      ['usage', ['plan'], { TETHER_TOKEN: '' }],
      ['usage', ['apply'], {}],
      ['unauthorized', ['plan'], { TETHER_TOKEN: 'wrong-token' }],
      ['not-sent', ['plan'], { TETHER_ADDRESS: 'http://127.0.0.1:9/api/v2' }],
      ['stale-plan', ['apply', '--yes', '--expect', '0123456789abcdef'], {}],
      ['missing-secrets', ['apply', '--yes'], { GIT_TOKEN: '' }],
      ['invalid-manifests', ['plan', 'nowhere'], {}],
      ['bad-option', ['plan'], { TETHER_TOKEN: 'two words' }],
      ['account-error', ['plan'], { TETHER_TOKEN: '', TETHER_TOKEN_FILE: 'nowhere' }],
    ];
    for (const [code, args, env] of runs) {
      it(`are ${code}: tether ${args.join(' ')} ${Object.keys(env).join()}`, async () => {
        assert.equal(await codeOf(args, env), code);
      });
    }

    async function codeOf(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
      const { stdout } = await world.expect(1, [...args, '--json'], { env });
      return (JSON.parse(stdout) as { error: { code: string } }).error.code;
    }

    it('tell what is wrong with folder, ledger and organization', async () => {
      world.write('main.tether.yaml', (head + github).replace('acme', 'acne'));
      assert.equal(await codeOf(['plan']), 'organization-not-visible');
      world.write('main.tether.yaml', head + github);
      await world.expect(0, ['apply', '--yes']);
      world.write('main.tether.yaml', (head + github).replace('acme', 'acne'));
      assert.equal(await codeOf(['plan']), 'ledger-mismatch');
      world.remove('main.tether.yaml');
      assert.equal(await codeOf(['plan']), 'no-manifests');
      world.write('main.tether.yaml', head + github);
      world.write('tether.ledger.json', '{');
      assert.equal(await codeOf(['plan']), 'ledger-corrupt');
    });

    it('are interrupted for Ctrl-C', async () => {
      const ended = await world.here(['plan', '--json'], { signal: AbortSignal.abort() });
      assert.equal(ended.code, 130);
      assert.equal((JSON.parse(ended.stdout) as { error: { code: string } }).error.code, 'interrupted');
    });

    it('stand with the step that failed', async () => {
      world.service.fault({ how: 'status', status: 422, method: 'POST' });
      const { stdout } = await world.expect(1, ['apply', '--yes', '--json']);
      const { result } = JSON.parse(stdout) as { result: { steps: { status: string; code?: string }[] } };
      assert.deepEqual(
        result.steps.map(({ status, code }) => [status, code]),
        [['failed', 'invalid']],
      );
    });
  });
});
