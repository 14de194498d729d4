/** What Mermaid itself reads in the text of a graph: the names as they are, whatever they are. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mermaid, type Picture, renderGraph } from '../../../reconciler/render/graph';
import { readMermaid } from '../../support/mermaid';

function graphOf(names: readonly string[], files: readonly string[]) {
  const workspaces = names.map((name, index) => {
    return { id: `ws-${index}`, name, file: files[index % files.length] ?? null, layer: index };
  });
  const triggers = workspaces.slice(1).map(({ id }, index) => {
    return { source: `ws-${index}`, target: id, file: files[index % files.length] ?? '', onCycle: false };
  });
  return { workspaces, triggers, layers: names.length, cycles: 0 };
}

/** Names that some language takes for something else. */
const nasty = [
  'end',
  'graph',
  'subgraph',
  'default',
  'click',
  'style',
  'classDef a fill:#f00;',
  'o',
  'x',
  'a"b',
  "a'b",
  '"]; n1["x',
  '`code`',
  '"`md`"',
  '<b>bold</b>',
  '<script>alert(1)</script>',
  '&amp;',
  '&#35;',
  '#35;',
  '#quot;',
  '\\',
  'a\\',
  '\\N',
  '\\n',
  '1. list',
  '- list',
  '+',
  '* x *',
  '__bold__',
  'www.example.com',
  'https://example.com/?a=b',
  'a@example.com',
  '$$x^2$$',
  'fa:fa-car',
  '%% comment',
  '%%{init: {}}%%',
  '---',
  'a|b',
  '{a}',
  '[a]',
  '(a)',
  ':::x',
  '@{ shape: x }',
  '@team',
  'ä ö 名 🚀 é',
  '}',
  '// comment',
  '/* c',
  'ﬂ°°35¶ß',
  'a b',
];

/** As it is shown: one line. */
const shown = (name: string) => name.replace(/\s+/gu, ' ').trim() || ' ';

describe('a graph as Mermaid', () => {
  const labels = async (names: readonly string[], files: readonly string[] = ['a']) =>
    (await readMermaid(renderGraph(graphOf(names, files)).text)).nodes;

  it('has every name as it is, though the language has another use for it', async () => {
    const others = nasty.filter((name) => !name.includes('ﬂ'));
    assert.deepEqual(await labels(others), others.map(shown));
    // The characters that Mermaid keeps for itself.
    assert.equal((await labels(['ﬂ°°35¶ß'])).length, 1);
  });

  it('has every name as it is, whatever it is', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const names = fc.uniqueArray(fc.oneof(name, fc.string({ maxLength: 20 })), { minLength: 1 });
    const property = fc.asyncProperty(names, async (given) => {
      const sound = given.filter((one) => !/[ﬂ¶ß°\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(one));
      // Those of one box come together.
      const read = await labels(sound, ['x"y.tether.yaml', '[end]']);
      assert.deepEqual([...read].sort(), sound.map(shown).sort());
    });
    await fc.assert(property, { numRuns: 40, seed: 20261122 });
  });

  it('keeps names apart that are alike as ids', async () => {
    const names = ['a.b', 'a-b', 'a_b', 'a__b', 'a b', 'a_b_1', 'a__1', 'a'];
    assert.deepEqual(await labels(names), names);
  });

  it('cuts a name that nobody can read, and keeps it one node', async () => {
    const [first = '', second = ''] = await labels(['n'.repeat(1_000_000), 'x'.repeat(1_000_000)]);
    assert.equal(`${first.length} ${first.at(-1)} ${second.at(0)}`, '80 … x');
  });

  it('draws new and removed arrows differently, also without colour', async () => {
    const nodes: Picture['nodes'] = ['a', 'b'].map((id) => ({ id, name: id, box: null, look: 'plain' }));
    const arrows: Picture['arrows'] = [
      { from: 'a', to: 'b', look: 'new' },
      { from: 'b', to: 'a', look: 'removed' },
    ];
    const read = await readMermaid(mermaid({ nodes, arrows }, []).join('\n'));
    assert.deepEqual(read.arrows, ['a → b (thick new)', 'b → a (dotted removed)']);
  });
});
