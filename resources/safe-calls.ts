/** What a failed write left, and whether what answered 404 is gone. */
import type { Api, ReadApi } from '../client/api';
import { NotFound, OperationalError } from '../client/errors';
import type { Found, Key, ResourceDefinition } from './kind';

/** Creates of a link, while answers are lost. */
export const createAttempts = 2;

/** Between looks, in milliseconds: a service may carry out what it did not answer, or show it, a while later. */
const pauses = [1000, 2000, 4000, 8000];

/** The service did something else than it was asked for. */
export class UnexpectedAnswer extends OperationalError {}

/** What a look shows after a failed write. When it fails too, the failure of the write is thrown. */
export function lookAfter<Seen>(failure: unknown, look: () => Promise<Seen>): Promise<Seen> {
  return look().catch(() => {
    throw failure;
  });
}

/** What the first of several looks that shows anything shows: after a lost answer, before anybody asks again. */
export async function lookPatiently(api: Api, look: () => Promise<readonly Found[]>) {
  let seen = await look();
  for (const pause of pauses) {
    if (seen.length > 0) break;
    await api.wait(pause);
    seen = await look();
  }
  return seen;
}

/** True when Show answers 404 and a whole list lacks it: alone, "not there" and "not allowed" look the same. False when no list can be read. */
export async function provedGone(
  api: ReadApi,
  { read, listedIn, find }: Pick<ResourceDefinition, 'read' | 'listedIn' | 'find'>,
  id: string,
  key: Key,
): Promise<boolean> {
  if (read !== undefined && (await unlessNotFound(read(api, id))) !== undefined) return false;
  for (const ref of listedIn(key)) {
    const items = await unlessNotFound(ref.read(api));
    if (items !== undefined) return !find(items, key).some((found) => found.id === id);
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

/** Waits for a delete; a 404 counts as done only when the object is proved gone. */
export async function deleteUnlessGone(
  removed: Promise<void>,
  isGone: () => Promise<boolean>,
): Promise<void> {
  try {
    await removed;
  } catch (error) {
    if (!(error instanceof NotFound) || !(await isGone())) throw error;
  }
}
