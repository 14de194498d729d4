/** Whether an object that answered 404 is gone: "not there" and "not allowed" look the same, so a list must lack it too. */
import type { ReadApi } from '../client/api';
import { NotFound } from '../client/errors';
import type { ResourceDefinition } from './definition';
import { readList } from './lists';
import type { Key } from './values';

/** How an object is looked for: by its own Show, and in the lists that would show it. */
export type Seekable = Pick<ResourceDefinition, 'listedIn' | 'find' | 'read'>;

/**
 * True when a Show answers 404 and one of its lists, read whole, lacks it. False when it is there, or when nobody can
 * tell because none of its lists can be read.
 */
export async function provedGone(api: ReadApi, kind: Seekable, id: string, key: Key): Promise<boolean> {
  if (kind.read !== undefined && (await unlessNotFound(kind.read(api, id))) !== undefined) return false;
  for (const ref of kind.listedIn(key)) {
    const contents = await unlessNotFound(readList(api, ref));
    if (contents !== undefined) return !kind.find(contents, key).some((found) => found.id === id);
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
