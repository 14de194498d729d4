/** A refused body: 422 at its pointers, and nothing changed. */
import assert from 'node:assert/strict';
import type { Caller } from '../support/api-caller';

export async function expectRefusal(
  caller: Caller,
  method: string,
  path: string,
  body: unknown,
  pointers: readonly string[],
): Promise<void> {
  const before = caller.service.snapshot();
  const answer = await caller.send(method, path, { body });
  assert.equal(answer.status, 422, answer.text);
  assert.deepEqual(answer.sources().sort(), [...pointers].sort());
  assert.deepEqual(caller.service.snapshot(), before);
}
