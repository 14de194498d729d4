/** What is read of a text, beside another YAML library: values, and the place of each. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { IssueList } from '../../manifest/issues';
import type { Node } from '../../manifest/node';
import { Source } from '../../manifest/source';
import { parseYaml } from '../../manifest/yaml';

type Places = (readonly [string, string | number | boolean | null | undefined, string])[];

function read(text: string) {
  const issues = new IssueList();
  const source = new Source({ shown: 'a', file: 'a', absolute: '/a' }, text, issues);
  return { node: parseYaml(source), issues: issues.all };
}

/** Path, value, `line:column` of the value and of the key. */
function placesOf(node: Node): Places {
  const { value, items = [], members = new Map<string, Node>(), at, key, name } = node;
  const ofKey = `${key.at.line}:${key.at.column}`;
  // Nothing at all has no place that everybody would agree on.
  const here = value === null ? (typeof name === 'number' ? '' : ofKey) : `${at.line}:${at.column} ${ofKey}`;
  return [[node.path, value, here], ...[...items, ...members.values()].flatMap(placesOf)];
}

/** The same by the other library. */
function expectedOf(text: string): Places {
  const counter = new LineCounter();
  const options = { schema: 'core', stringKeys: true, uniqueKeys: false, lineCounter: counter } as const;
  const document = parseDocument(text, options);
  assert.deepEqual(document.errors, []);
  const place = (offset: number) => `${counter.linePos(offset).line}:${counter.linePos(offset).col}`;
  const walk = (node: unknown, path: string, key?: string): Places => {
    const target = isAlias(node) ? node.resolve(document) : node;
    if (!isScalar(target) && !isMap(target) && !isSeq(target)) {
      return [[path, null, key ?? '']];
    }
    const here = place(target.range?.[0] ?? 0);
    if (isScalar(target)) {
      const value = target.value as Places[0][1];
      return [[path, value, value === null ? (key ?? '') : `${here} ${key ?? here}`]];
    }
    const first: Places[0] = [path, undefined, `${here} ${key ?? here}`];
    if (isSeq(target))
      return [first, ...target.items.flatMap((one, index) => walk(one, `${path}[${index}]`))];
    const members = target.items.flatMap(({ key, value }) => {
      assert.ok(isScalar(key));
      const name = String(key.value);
      const [start = 0] = key.range ?? [];
      return walk(value, path === '' ? name : `${path}.${name}`, place(start));
    });
    return [first, ...members];
  };
  return walk(document.contents, '');
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'ab :-#\n\t"\'[]{},&*!|>%@`?~1.é'), maxLength: 8 }),
  fc.constantFrom('', 'null', '~', 'true', 'False', '0o17', '0x1F', '-1', '1e3', '.inf', '.nan', 'a -> b'),
);
const scalar = fc.oneof(text, fc.boolean(), fc.integer(), fc.double(), fc.constant(null));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const top = fc.dictionary(text, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
const styles = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;

/** A text for the value, in any of the forms that YAML has for it. */
function written(content: unknown, seed: readonly number[], width: number, flow: boolean): string {
  const document = new Document(content, { aliasDuplicateObjects: false });
  let count = 0;
  const next = () => seed[count++ % seed.length] ?? 0;
  visit(document, {
    Scalar(place, node) {
      // The other forms of some texts are written wrongly by the library that writes them here.
      const all = place === 'key' || !/^\S/.test(String(node.value)) ? styles.slice(0, 3) : styles;
      const right = String(node.value).includes('\n') ? all.slice(1) : all;
      if (typeof node.value === 'string') node.type = right[next() % right.length] ?? 'PLAIN';
      if (place !== 'key' && next() % 5 === 0) node.comment = ' a: b - c';
      if (place !== 'key' && next() % 7 === 0) node.anchor = `n${count}`;
    },
    Collection(_, node) {
      node.flow = flow && next() % 2 === 0;
      if (!node.flow && node.items.length > 0 && next() % 5 === 0) node.commentBefore = ' # c: |';
    },
  });
  return document.toString({
    lineWidth: width,
    nullStr: flow ? '~' : '',
  });
}

describe('a text', () => {
  it('is read with the values and places that another library finds', () => {
    const seeds = fc.array(fc.nat(1000), { minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(top, seeds, fc.constantFrom(0, 20, 80), fc.boolean(), (content, seed, width, flow) => {
        const yaml = written(content, seed, width, flow);
        const { node, issues } = read(yaml);
        assert.deepEqual(issues, [], yaml);
        assert.ok(node);
        assert.deepEqual(placesOf(node), expectedOf(yaml), yaml);
      }),
      { numRuns: 2000 },
    );
  });

  const brackets = [
    'a: {\n  x: 1\n}\nb: "c"\n',
    'a:\n  b: [\n    { c: d,\n    }, # e\n  ] # f\n  g: {\n  }\nh: |\n  ]\n  }\n',
    'a: [\n "b",\n]\nc: "x\n  } y"\nd: e\n  ] f\ng: [h, i\n]\nj: >-\n  k\n\n   }\n',
  ];
  for (const yaml of brackets) {
    it(`may have a closing bracket no deeper than its key: ${JSON.stringify(yaml)}`, () => {
      const { node, issues } = read(yaml);
      assert.deepEqual(issues, []);
      assert.ok(node);
      assert.deepEqual(placesOf(node), expectedOf(yaml));
    });
  }

  it('may have tabs behind the first character of a line', () => {
    const yaml = 'a:\t{b:\t[c,\td],\te:\t"f\tg\\\t"}\t#\th\ni:\t|\t# x\n  y\tz\nj:\tk\tl\t\n';
    const { node, issues } = read(yaml);
    assert.deepEqual(issues, []);
    assert.ok(node);
    assert.deepEqual(placesOf(node), expectedOf(yaml));
  });

  it('may have thousands of such brackets', () => {
    const { node, issues } = read(Array.from({ length: 20_000 }, (_, index) => `a${index}: [\n]\n`).join(''));
    assert.deepEqual(issues, []);
    assert.equal(node?.members?.get('a19999')?.at.line, 39_999);
  });

  it('may have no such line inside of a string: what follows would not be masked', () => {
    for (const yaml of ['b: [\n]\na: "x\n} y"\n', "b: [\n]\na: 'x\n] y'\n", 'b: [\n]\na: |\n  x\n}\n']) {
      const { node, issues } = read(yaml);
      assert.equal(node, null);
      const line = yaml.includes('|') ? 5 : 4;
      assert.deepEqual(
        issues.map(({ rule, at }) => [rule, at?.line, at?.column]),
        [['yaml-syntax', line, 1]],
        yaml,
      );
    }
  });

  const ends: readonly (readonly [string, string])[] = [
    ['a: [b: c, d: e]\nf: g\n', '[b: c, d: e]'],
    ['a: { b: c # d\u2028: e\n  }\nf: g\n', '{ b: c # d\u2028: e\n  }'],
    ['a: [[b: c], { d, }, ? e ] # f\n', '[[b: c], { d, }, ? e ]'],
    ['a: # b\u2028- c\n  |\n  d\n', '|\n  d\n'],
  ];
  for (const [yaml, part] of ends) {
    it(`ends where its last bracket or line does: ${JSON.stringify(yaml)}`, () => {
      const [start = 0, end] = read(yaml).node?.get('a')?.range ?? [];
      assert.equal(yaml.slice(start, end), part);
    });
  }

  it('has for an alias the last anchor above it, inside of what another alias stands for too', () => {
    const { node } = read('a: &x 1\nb: &b { c: *x, d: &y 2 }\ne: &x 3\nf: &y 4\ng: *b\nh: [*x, *y]\n');
    const plain = JSON.parse(JSON.stringify(node?.plain())) as unknown;
    const b = { c: 1, d: 2 };
    assert.deepEqual(plain, { a: 1, b, e: 3, f: 4, g: b, h: [3, 4] });
  });

  it('may have an anchor at a key', () => {
    const { node } = read('&a b: &c\nd: [*a, *c]\n');
    assert.equal(JSON.stringify(node?.plain()), '{"b":null,"d":["b",null]}');
  });

  it('that closes nothing is refused at its place, below such brackets too', () => {
    const { issues } = read('a: [\n]\nb: [\n}\n');
    assert.deepEqual(
      issues.map(({ rule, at }) => [rule, at?.line, at?.column]),
      [['yaml-syntax', 4, 1]],
    );
  });
});
