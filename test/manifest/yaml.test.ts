/** What is read of a text: values, places and aliases. And hostile texts, which are refused quickly and in any size. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { IssueList } from '../../manifest/issues';
import type { Node } from '../../manifest/node';
import { Source } from '../../manifest/source';
import { parseYaml } from '../../manifest/yaml';

function read(text: string) {
  const source = new Source({ relativePath: 'a', absolute: '/a' }, text, new IssueList());
  return { node: parseYaml(source), issues: source.issues.all };
}

/** Each node as `path value line:column`. */
function listPlaces(node: Node): string[] {
  const { value, items = [], members, at } = node;
  const valueText = value === undefined ? '' : JSON.stringify(value);
  const inside = [...items, ...(members?.values() ?? [])].flatMap(listPlaces);
  return [`${node.path} ${valueText} ${at.line}:${at.column}`, ...inside];
}

describe('a text', () => {
  const values: readonly (readonly [text: string, places: string])[] = [
    ['a:\nb: # c\nd: ~\n', '  1:1|a null 1:3|b null 2:4|d null 3:4'],
    ['a: yes\nb: True\nc: 0o17\nd: 1_0\n', '  1:1|a "yes" 1:4|b true 2:4|c 15 3:4|d "1_0" 4:4'],
    ['a: |\n  x\n   y\nb: >-\n  z\n  w\n', '  1:1|a "x\\n y\\n" 1:4|b "z w" 4:4'],
    ["- \"a\\tb\"\n- 'c''d'\n-\n", '  1:1|[0] "a\\tb" 1:3|[1] "c\'d" 2:3|[2] null 3:2'],
    ['a: [b: c, {d}]\n', '  1:1|a  1:4|a[0]  1:5|a[0].b "c" 1:8|a[1]  1:11|a[1].d null 1:13'],
    ['a: {\n  x: 1\n}\nb: "c"\n', '  1:1|a  1:4|a.x 1 2:6|b "c" 4:4'],
    ['a:\n- b\n- [\n  c,\n ]\n', '  1:1|a  2:1|a[0] "b" 2:3|a[1]  3:3|a[1][0] "c" 4:3'],
    ['a:\t{b:\t[c,\td]}\t#\te\n', '  1:1|a  1:4|a.b  1:8|a.b[0] "c" 1:9|a.b[1] "d" 1:12'],
    ['é: "𝒳"\r\nb: 1\r\n', '  1:1|é "𝒳" 1:4|b 1 2:4'],
  ];
  for (const [text, places] of values) {
    it(`is read with its places: ${JSON.stringify(text)}`, () => {
      const { node, issues } = read(text);
      assert.deepEqual(issues, []);
      assert.equal(node && listPlaces(node).join('|'), places);
    });
  }

  const aliased: readonly (readonly [text: string, value: unknown])[] = [
    ['a: &n Git\nb: *n\n', { a: 'Git', b: 'Git' }],
    [
      'a: &x 1\nb: &b { c: *x, d: &y 2 }\ne: &x 3\nf: &y 4\ng: *b\nh: [*x, *y]\n',
      { a: 1, b: { c: 1, d: 2 }, e: 3, f: 4, g: { c: 1, d: 2 }, h: [3, 4] },
    ],
    ['a: &u 1\n&u b: 2\nc: *u\n', { a: 1, b: 2, c: 'b' }],
    ['a: &x { v: &y 1, w: *y }\nb: &x { y: &y 2 }\nc: *x\n', { a: { v: 1, w: 1 }, b: { y: 2 }, c: { y: 2 } }],
  ];
  for (const [text, value] of aliased) {
    it(`has for an alias the last anchor above it: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(read(text).node?.plain(), value);
    });
  }

  it('makes a plain member of any key', () => {
    const plain = read('__proto__: { x: 1 }\nconstructor: 2\n').node?.plain() as Record<string, unknown>;
    assert.deepEqual(Object.keys(plain), ['__proto__', 'constructor']);
    assert.equal(({} as { x?: number }).x, undefined);
  });

  it('reports every key that is there twice, in linear time', () => {
    const { issues } = read('a: 1\n'.repeat(20_000));
    assert.equal(issues.length, 19_999);
    assert.equal(issues[0]?.message, 'duplicate key `a`: merge the two (see a:1:1)');
  });

  it('may nest as deep as no manifest does', () => {
    assert.deepEqual(read(`a: ${'['.repeat(100)}${']'.repeat(100)}`).issues, []);
    assert.deepEqual(read(`a: [${'{ b: c }, '.repeat(200)}]\n`).issues, []);
    assert.deepEqual(
      read(`${'a: b # c\n'.replace('a', 'k'.repeat(200))}d: |\n  ${'- '.repeat(500)}`).issues,
      [],
    );
  });
});

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const alias = (index: number) => (index === 0 ? 'x' : `*a${index - 1}`);
/** Each has one mistake of syntax, which the pattern describes. */
const hostile: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'a tower of brackets': ['['.repeat(3000), /100 levels/],
  'a tower of a million brackets': [`a: ${'{a: ['.repeat(500_000)}`, /100 levels/],
  'a tower of dashes': [`${'- '.repeat(3000)}a`, /100 levels/],
  'a tower of question marks': [`${'? '.repeat(3000)}a`, /100 levels/],
  'a staircase of maps': [lines(3000, (index) => `${' '.repeat(index)}a:`), /100 levels/],
  'a staircase of lists': [lines(1500, (index) => `${' '.repeat(2 * index)}- a:`), /100 levels/],
  'a staircase below brackets that are not closed': [
    `b: [[\n${lines(3000, (index) => `${' '.repeat(index)}a:`)}`,
    /100 levels/,
  ],
  'a tower behind brackets that close nothing': [`${']'.repeat(3000)}${'['.repeat(3000)}`, /100 levels/],
  'a bomb of aliases': [
    lines(8, (index) => `a${index}: &a${index} [${`${alias(index)}, `.repeat(10)}]`),
    /too often/,
  ],
  'an alias of its own list': ['&a [*a]', /inside of itself/],
  'a long chain of aliases': [
    lines(400, (index) => `a${index}: &a${index} [${alias(index)}]`),
    /inside of itself/,
  ],
  'a tag that makes code': ['a: !!js/function "x"', /tags/],
  'a quote without end': [`a: "${'x\n'.repeat(200_000)}`, /quote/],
};

describe('a hostile text', () => {
  it('ends in one mistake and not in the end of the process', () => {
    const script = `
      const { parseManifest } = require(${JSON.stringify(join(__dirname, '..', '..', 'manifest', 'read'))});
      for (const text of JSON.parse(require('node:fs').readFileSync(0, 'utf8'))) {
        const { issues } = parseManifest(text, 'a.yaml');
        console.log(issues.length, issues[0].rule, issues[0].message);
      }`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['-e', script], {
      input: JSON.stringify(Object.values(hostile).map(([text]) => text)),
      encoding: 'utf8',
    });
    assert.deepEqual([stderr, status], ['', 0]);
    const printed = stdout.trim().split('\n');
    assert.equal(printed.length, Object.keys(hostile).length);
    for (const [index, [name, [, says]]] of Object.entries(hostile).entries()) {
      const [, issue = ''] = /^1 yaml-syntax (.*)$/.exec(printed[index] ?? '') ?? [];
      assert.match(issue, says, name);
    }
  });
});
