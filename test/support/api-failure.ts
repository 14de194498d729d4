/** The error of a call that must fail, for tests that look at more than its class. */
import assert from 'node:assert/strict';
import { ApiError } from '../../client/errors';

/** Fails when the call succeeds or throws something else. */
export async function catchFailure(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: 'the call succeeded' });
}
