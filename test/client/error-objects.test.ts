/** What a service says of a refusal, in all its forms. */
import assert from 'node:assert/strict';
import { describeDetails, readErrorDetails } from '../../client/json-api';

const long = 'x'.repeat(498);

describe('error objects', () => {
  for (const [what, errors, details, message] of [
    [
      'everything',
      [{ status: '422', title: 'invalid', detail: 'Name is bad', source: { pointer: '/data/x' } }],
      [{ status: '422', title: 'invalid', detail: 'Name is bad', pointer: '/data/x' }],
      'invalid: Name is bad (/data/x)',
    ],
    [
      'a status that is a number, and a parameter',
      [{ status: 422, title: 'invalid', source: { parameter: 'include' } }],
      [{ status: '422', title: 'invalid', parameter: 'include' }],
      'invalid (include)',
    ],
    ['only a pointer', [{ source: { pointer: '/x' } }], [{ pointer: '/x' }], '(/x)'],
    ['plain texts', ['one', 'two'], [{ detail: 'one' }, { detail: 'two' }], 'one; two'],
    ['one text', 'alone', [{ detail: 'alone' }], 'alone'],
    [
      'sentences',
      [{ title: 'invalid', detail: 'Name is bad.', source: { pointer: '/x' } }, 'wait...'],
      [{ title: 'invalid', detail: 'Name is bad.', pointer: '/x' }, { detail: 'wait...' }],
      'invalid: Name is bad (/x); wait...',
    ],
    [
      'members of other types',
      [null, 7, {}, { title: {}, detail: 'd', source: 'x' }],
      [{ detail: 'd' }],
      'd',
    ],
    [
      'terminal escapes and lines',
      ['\u001b[31mred\u0007\n  next\u2028line\u202e'],
      [{ detail: '[31mred next line' }],
      '[31mred next line',
    ],
    ['an emoji where it is cut', [`${long}🚀${long}`], [{ detail: `${long}…` }], `${long}…`],
    ['a text that is long before it begins', [`${' '.repeat(5000)}tail`], [{ detail: '' }], ''],
    ['an empty list', [], [], ''],
    ['none', undefined, [], ''],
  ] as const) {
    it(`are read with ${what}`, () => {
      const read = readErrorDetails({ errors }, (text) => text);
      assert.deepEqual(read, details);
      assert.equal(describeDetails(read).trim(), message);
    });
  }

  it('are shortened when they say too much, and no character is halved', () => {
    const errors = [long, 'x'.repeat(496), '🚀🚀', ...Array.from({ length: 50 }, () => 'x'.repeat(2000))];
    const details = readErrorDetails({ errors }, (text) => text);
    assert.equal(details.length, 20);
    assert.equal(details[3]?.detail, `${'x'.repeat(499)}…`);
    const message = describeDetails(details);
    assert.ok(message.length <= 1000);
    assert.match(message, /x; …$/);
    assert.doesNotMatch(message, /\p{Cs}/u);
  });
});
