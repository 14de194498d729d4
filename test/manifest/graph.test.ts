/** The graph of all run triggers: layers, cycles and the files that draw their boxes. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { triggerGraph } from '../../manifest/graph';
import { parseManifest } from '../../manifest/read';
import { registry } from '../../resources/registry';

/** `a→b` and so on, as lines of one manifest. */
function graphOf(links: readonly string[]) {
  const lines = links.map((link) => {
    const [source = '', target = ''] = link.split('→').map((name) => `ws-${name}`);
    return `  - { source: ${source}, target: ${target} }\n`;
  });
  const text = `apiVersion: tether/v1\norganization: acme\nrunTriggers:\n${lines.join('')}`;
  const { manifests, issues } = parseManifest(text, 'a.tether.yaml');
  assert.ok(manifests !== null, JSON.stringify(issues));
  return triggerGraph(manifests, registry);
}

function layersOf(links: readonly string[]) {
  const { workspaces } = graphOf(links);
  return Object.fromEntries(workspaces.map(({ id, layer }) => [id.slice(3), layer]));
}

describe('the graph of run triggers', () => {
  it('has each workspace behind all that lead to it, however short another way is', () => {
    assert.deepEqual(layersOf(['c→d', 'a→d', 'b→c', 'a→b', 'x→d']), { a: 0, x: 0, b: 1, c: 2, d: 3 });
  });

  it('has the workspaces of a cycle in one layer, and what comes after them behind', () => {
    const links = ['a→b', 'b→c', 'c→b', 'c→d'];
    assert.deepEqual(layersOf(links), { a: 0, b: 1, c: 1, d: 2 });
    const { triggers, cycles, layers } = graphOf(links);
    assert.deepEqual(
      triggers.map(({ onCycle }) => onCycle),
      [false, true, true, false],
    );
    assert.deepEqual({ cycles, layers }, { cycles: 1, layers: 3 });
  });

  it('counts cycles that do not reach each other', () => {
    assert.equal(graphOf(['a→b', 'b→a', 'b→c', 'c→d', 'd→c', 'x→a']).cycles, 2);
  });

  it('has nothing, and no layer, for no trigger', () => {
    const nothing = { workspaces: [], triggers: [], layers: 0, cycles: 0 };
    assert.deepEqual(triggerGraph({ entries: [] }, registry), nothing);
  });

  it('knows a trigger on a cycle by a way back, and puts every other one from a lower layer to a higher', () => {
    const name = fc.constantFrom(...'abcdefgh');
    const link = fc.tuple(name, name).filter(([source, target]) => source !== target);
    const links = fc.uniqueArray(link, { selector: String, minLength: 1, maxLength: 20 });
    const check = (pairs: readonly (readonly [string, string])[]) => {
      const { workspaces, triggers } = graphOf(pairs.map((pair) => pair.join('→')));
      const layers = new Map(workspaces.map(({ id, layer }) => [id, layer]));
      const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
        from === to ||
        (!seen.has(from) &&
          triggers.some((one) => one.source === from && leadsTo(one.target, to, seen.add(from))));
      for (const { source, target, onCycle } of triggers) {
        assert.equal(onCycle, leadsTo(target, source), `${source} → ${target}`);
        const [before = 0, after = 0] = [layers.get(source), layers.get(target)];
        assert.ok(onCycle ? before === after : before < after, `${source} → ${target}`);
      }
    };
    fc.assert(fc.property(links, check), { numRuns: 200 });
  });
});
