/** What a run remembers: which objects it wants, and which deletes belong to a replacement. */
import assert from 'node:assert/strict';
import { RunMemory, type ShownClient } from '../../provider/run';

const urn = 'urn:pulumi:test::infra::tether:index:OAuthClient::github';
const inputs = { name: 'GitHub' };
const lifted = { ...inputs, deletionProtection: false };

function memory(variables: Readonly<Record<string, string>> = {}): RunMemory {
  return new RunMemory({ variable: (name) => variables[name], folder: () => '/', say: () => undefined });
}

describe('the memory of a run', () => {
  it('adds what is shown of one client to what it knows, and knows nothing of another', () => {
    const run = memory();
    run.show(urn, { inputs });
    run.show(urn, { seen: { id: 'oc-1', olds: {} } });
    assert.deepEqual(run.shown(urn), { inputs, seen: { id: 'oc-1', olds: {} } });
    assert.deepEqual(run.shown(`${urn}-2`), {});
  });

  it('wants an object for the rest of the run, whatever a diff finds of it before or later', () => {
    const run = memory();
    run.allowReplace('oc-1');
    assert.deepEqual([run.isReplaceable('oc-1'), run.isWanted('oc-1')], [true, false]);
    run.want('oc-1');
    run.allowReplace('oc-1');
    assert.deepEqual([run.isReplaceable('oc-1'), run.isWanted('oc-1')], [false, true]);
    assert.deepEqual([run.isReplaceable('oc-2'), run.isWanted('oc-2')], [false, false]);
  });

  /** What the run was shown of the client that has `oc-1` in the state, and whether that lets its delete through. */
  const deletes: readonly (readonly [string, ShownClient, boolean])[] = [
    ['dropped by the program', {}, false],
    ['declared, and protected', { inputs }, false],
    ['declared with its protection lifted', { inputs: lifted }, true],
    ['declared so, and seen', { inputs: lifted, seen: { id: 'oc-1', olds: {} } }, true],
    ['declared so, and seen as another object', { inputs: lifted, seen: { id: 'oc-2', olds: {} } }, false],
    ['seen, and not declared', { seen: { id: 'oc-1', olds: {} } }, false],
  ];
  for (const [what, shown, goes] of deletes) {
    it(`${goes ? 'lets' : 'does not let'} the delete through of a client that is ${what}`, () => {
      const run = memory();
      run.show(urn, shown);
      assert.equal(run.mayDelete(urn, 'oc-1', inputs), goes);
    });
  }

  it('lets a delete through where the state, a diff or the environment says so', () => {
    assert.ok(memory().mayDelete(urn, 'oc-1', lifted));
    const run = memory();
    run.allowReplace('oc-1');
    assert.ok(run.mayDelete(urn, 'oc-1', inputs) && !run.mayDelete(urn, 'oc-2', inputs));
    const named = memory({ TETHER_ALLOW_DESTROY: ' oc-2,oc-1' });
    assert.ok(
      named.mayDelete(urn, 'oc-1', inputs) &&
        !named.mayDelete(urn, 'oc-', inputs) &&
        !named.mayDelete(urn, '', inputs),
    );
  });

  it('lets this run decide on a replacement before the state', () => {
    assert.ok(memory().mayReplace('oc-1', lifted, {}));
    assert.ok(memory().mayReplace('oc-1', {}, lifted));
    assert.ok(!memory().mayReplace('oc-1', lifted, { deletionProtection: true }));
    assert.ok(!memory().mayReplace('oc-1', {}, {}));
  });
});
