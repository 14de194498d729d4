/** Finds out what a failed write left, and whether an object that answered 404 is gone. */
import type { Api, ReadApi } from '../client/api';
import { NotFound, OperationalError } from '../client/errors';
import type { Found, Key, ResourceDefinition } from './kind';

/** A create of a link is sent so often while answers are lost. */
export const createAttempts = 2;

/** A service may carry out a lost request, or show its effect, a while later. In milliseconds. */
const pauses = [1000, 2000, 4000, 8000];

/** A service has carried out a request by then, or never will, and lists show what it made. In milliseconds. */
export const settledAfterMs = 120_000;

/** The service did something else than it was asked for. */
export class UnexpectedAnswer extends OperationalError {}

/** Throws the failure of the write when the look fails too. */
export function lookAfter<Seen>(failure: unknown, look: () => Promise<Seen>): Promise<Seen> {
  return look().catch(() => {
    throw failure;
  });
}

/** Looks several times after a lost answer, until anything is seen. */
export async function lookPatiently(api: Api, look: () => Promise<readonly Found[]>) {
  let seen = await look();
  for (const pause of pauses) {
    if (seen.length > 0) break;
    await api.wait(pause);
    seen = await look();
  }
  return seen;
}

/** A Show alone cannot tell "not there" from "not allowed", so a whole list must lack the object too. */
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

/** Returns undefined for a 404, and throws every other failure. */
export async function unlessNotFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** A 404 counts as done only when the object is proved gone. */
export async function deleteUnlessGone(
  removed: Promise<void>,
  isGone: () => Promise<boolean>,
): Promise<void> {
  await removed.catch(async (error: unknown) => {
    if (!(error instanceof NotFound) || !(await isGone())) throw error;
  });
}
