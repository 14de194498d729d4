/** Looking at what a failed write left, and whether what answered 404 is gone: "not there" and "not allowed" look the same, so a list must lack it too. */
import type { ReadApi } from '../client/api';
import { NotFound } from '../client/errors';
import type { Key, ResourceDefinition } from './kind';

/** The service answered a write with something else than was asked for; the message is for people. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** An answer to a create that names an object which was there before: it is somebody's, and nothing was written to it. */
export function notNew(id: string): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `the service answered the create with ${id}, which was there before: nothing was written to it. Adopt it with \`id: ${id}\` if it is the one meant`,
  );
}

/** A create that was refused and carried out all the same. */
export function yetThere(failure: unknown, id: string): UnexpectedAnswer {
  const said = failure instanceof Error ? failure.message : String(failure);
  return new UnexpectedAnswer(
    `${said}. Yet ${id} was made all the same, under a temporary name: it is recorded, run again to finish it`,
  );
}

/** What a look shows after a write that failed. Throws the failure of the write when the look fails too: that is what a person has to know first. */
export async function lookAfter<Seen>(failure: unknown, look: () => Promise<Seen>): Promise<Seen> {
  const seen = await settled(look());
  if ('error' in seen) throw failure;
  return seen.value;
}

/** How a call ended, without throwing. */
export async function settled<Value>(
  call: Promise<Value>,
): Promise<{ readonly value: Value } | { readonly error: unknown }> {
  try {
    return { value: await call };
  } catch (error) {
    return { error };
  }
}

/** How an object is looked for: by its own Show, and in the lists that would show it. */
export type Seekable = Pick<ResourceDefinition, 'listedIn' | 'find' | 'read'>;

/**
 * True when a Show answers 404 and one of its lists, read whole, lacks it. False when it is there, or when nobody can
 * tell because none of its lists can be read.
 */
export async function provedGone(api: ReadApi, kind: Seekable, id: string, key: Key): Promise<boolean> {
  if (kind.read !== undefined && (await unlessNotFound(kind.read(api, id))) !== undefined) return false;
  for (const ref of kind.listedIn(key)) {
    const items = await unlessNotFound(ref.read(api));
    if (items !== undefined) return !kind.find(items, key).some((found) => found.id === id);
  }
  return false;
}

/** The answer, or undefined for a 404; every other failure is thrown. */
export async function unlessNotFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

/** Deletes; a 404 counts as done only when the object is proved gone. */
export async function deleteUnlessGone(
  remove: () => Promise<void>,
  isGone: () => Promise<boolean>,
): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof NotFound) || !(await isGone())) throw error;
  }
}
