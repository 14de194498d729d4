/** `make acceptance-clean` deletes what is old and of a run, and nothing else. */
import assert from 'node:assert/strict';
import { acceptanceWorlds, namedClient, nameOfAnotherRun } from './acceptance-world';

const assumed = 'hcp-terraform';

describe('make acceptance-clean', () => {
  const start = acceptanceWorlds();
  const old = '2026-01-02T01:00:00.000Z';
  const young = '2026-01-02T02:30:00.000Z';

  it('removes what is old and of a run, and nothing else', async () => {
    const world = await start({
      assumed,
      others: {
        workspaces: { 'ws-x': {}, 'ws-user': { oauthClient: 'oc-used' } },
        oauthClients: {
          'oc-old': { ...namedClient(nameOfAnotherRun), createdAt: old },
          'oc-young': { ...namedClient(nameOfAnotherRun.replace('-attached', '-two')), createdAt: young },
          'oc-used': { ...namedClient(nameOfAnotherRun.replace('-attached', '-renamed')), createdAt: old },
          'oc-team': { ...namedClient('tether-acceptance-team'), createdAt: old },
          'oc-longer': { ...namedClient(`${nameOfAnotherRun} (ours)`), createdAt: old },
          'oc-like': { ...namedClient(`x${nameOfAnotherRun}`), createdAt: old },
        },
        runTriggers: {
          'rt-old': { workspace: 'ws-acc-2', sourceable: 'ws-acc-1', createdAt: old },
          'rt-young': { workspace: 'ws-acc-3', sourceable: 'ws-acc-1', createdAt: young },
          'rt-half': { workspace: 'ws-acc-3', sourceable: 'ws-x', createdAt: old },
          'rt-other-half': { workspace: 'ws-x', sourceable: 'ws-acc-3', createdAt: old },
        },
      },
    });
    assert.equal((await world.clean(() => false)).code, 1);
    assert.equal(world.countWrites(), 0);
    const { code, lines } = await world.clean();
    assert.equal(code, 0, lines.join('\n'));
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual(oauthClients.map(({ id }) => id).sort(), [
      'oc-like',
      'oc-longer',
      'oc-team',
      'oc-used',
      'oc-young',
    ]);
    assert.deepEqual(runTriggers.map(({ id }) => id).sort(), ['rt-half', 'rt-other-half', 'rt-young']);
    assert.match(
      lines.join('\n'),
      /delete OAuth client tether-acceptance-\S+-attached \(oc-old\), 124 min old/,
    );
    assert.match(lines.join('\n'), /keep {3}OAuth client \S+ \(oc-used\).*workspaces that use it: 1/);
  });

  it('judges again after the question', async () => {
    const oauthClients = { 'oc-old': { ...namedClient(nameOfAnotherRun), createdAt: old } };
    const world = await start({ assumed, others: { oauthClients } });
    const { code } = await world.clean(() => {
      world.service.patchSeed({
        organizations: { acme: { workspaces: { 'ws-user': { oauthClient: 'oc-old' } } } },
      });
      return true;
    });
    assert.equal(code, 1);
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });
});
