/** What a service says of a refusal, in all its forms. */
import assert from 'node:assert/strict';
import { Invalid } from '../../client/errors';
import { json } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';

describe('error objects', () => {
  const wire = scriptedWire();

  for (const [what, body, details, message] of [
    [
      'full',
      {
        errors: [{ status: '422', title: 'invalid', detail: 'Name is bad', source: { pointer: '/data/x' } }],
      },
      [{ status: '422', title: 'invalid', detail: 'Name is bad', pointer: '/data/x' }],
      /: invalid: Name is bad \(\/data\/x\)$/,
    ],
    [
      'a status that is a number',
      { errors: [{ status: 422, title: 'invalid' }] },
      [{ status: '422', title: 'invalid' }],
      /: invalid$/,
    ],
    [
      'a parameter',
      { errors: [{ title: 'invalid', source: { parameter: 'include' } }] },
      [{ title: 'invalid', parameter: 'include' }],
      /: invalid \(include\)$/,
    ],
    [
      'only a pointer',
      { errors: [{ source: { pointer: '/data/x' } }] },
      [{ pointer: '/data/x' }],
      /: refused \(422\): \(\/data\/x\)$/,
    ],
    [
      'an emoji where it is cut',
      { errors: [`${'x'.repeat(498)}🚀${'x'.repeat(9)}`] },
      [{ detail: `${'x'.repeat(498)}…` }],
      /x…$/,
    ],
    ['plain texts', { errors: ['one', 'two'] }, [{ detail: 'one' }, { detail: 'two' }], /: one; two$/],
    [
      'sentences',
      { errors: [{ title: 'invalid', detail: 'Name is bad.', source: { pointer: '/x' } }, 'wait...'] },
      [{ title: 'invalid', detail: 'Name is bad.', pointer: '/x' }, { detail: 'wait...' }],
      /: invalid: Name is bad \(\/x\); wait\.\.\.$/,
    ],
    ['one text', { errors: 'alone' }, [{ detail: 'alone' }], /: alone$/],
    [
      'members of other types',
      { errors: [null, 7, {}, { title: {}, detail: 'd', source: 'x' }] },
      [{ detail: 'd' }],
      /: d$/,
    ],
    [
      'terminal escapes and lines',
      { errors: ['\u001b[31mred\u0007\n  next\u2028line\u202e'] },
      [{ detail: '[31mred next line' }],
      /: \[31mred next line$/,
    ],
    [
      'a text that is long before it begins',
      { errors: [`${' '.repeat(5000)}tail`] },
      [{ detail: '' }],
      /: refused \(422\)$/,
    ],
    ['no errors', { message: 'no' }, [], /: refused \(422\)$/],
    ['an empty list', { errors: [] }, [], /: refused \(422\)$/],
  ] as const) {
    it(`reads an error object with ${what}`, async () => {
      wire.server.script(json(422, body));
      await assert.rejects(wire.client().oauthClients.read('oc-1'), (error) => {
        assert.ok(error instanceof Invalid);
        assert.deepEqual(error.context.details, details);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('shortens what a service says when it says too much', async () => {
    wire.server.script(json(422, { errors: Array.from({ length: 50 }, () => 'x'.repeat(2000)) }));
    await assert.rejects(wire.client().oauthClients.read('oc-1'), (error) => {
      assert.ok(error instanceof Invalid);
      assert.equal(error.context.details.length, 20);
      assert.equal(error.context.details[0]?.detail, `${'x'.repeat(499)}…`);
      assert.ok(error.message.length < 1200, String(error.message.length));
      return true;
    });
  });

  it('halves no character where it ends what a service says', async () => {
    const texts = ['x'.repeat(498), 'x'.repeat(496), '🚀🚀'];
    wire.server.script(json(422, { errors: texts }));
    await assert.rejects(wire.client().oauthClients.read('oc-1'), (error) => {
      assert.ok(error instanceof Invalid);
      assert.doesNotMatch(error.message, /\p{Cs}/u);
      assert.match(error.message, /x; …$/);
      return true;
    });
  });
});
