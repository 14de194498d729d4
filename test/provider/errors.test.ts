/** Errors as the engine gets them. It prints what it gets, so nothing else may be in them. */
import assert from 'node:assert/strict';
import { toReadableError } from '../../provider/errors';

describe('an error of a provider', () => {
  it('that is a bug is one safe line that says so', () => {
    const { message, stack } = toReadableError(new TypeError('no member\n##[error]x\u001b[31m of undefined'));
    const safe = 'no member \\u{23}#[error]x\\u{1b}[31m of undefined';
    assert.equal(message, `unexpected: ${safe}. This is a bug in tether; please report it`);
    assert.equal(stack, message);
  });
});
