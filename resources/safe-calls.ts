/** Finds out what a failed write has changed, and whether an object that answered 404 is really missing. */
import type { Api, ReadApi } from '../client/api';
import { NotFound, OperationalError } from '../client/errors';
import type { Attempt, Created, FieldValues, Found, Key, ResourceDefinition } from './kind';

/** The number of attempts to create a link while answers are lost. */
export const createAttempts = 2;

/** The milliseconds between reads, because a service may execute a lost request later. */
const pauses = [1000, 2000, 4000, 8000];

/** After this many milliseconds, a lost request counts as executed or lost for good, and lists show its effect. */
export const settledAfterMs = 120_000;

/** The same time in messages. */
export const settledAfter = 'two minutes';

/** Returns the time of day at which a request that was sent at this time is settled, such as `12:03:10 UTC`. */
export function settledAt(sentAt: number): string {
  return `${new Date(sentAt + settledAfterMs).toISOString().slice(11, 19)} UTC`;
}

/** The service did something other than the request. */
export class UnexpectedAnswer extends OperationalError {}

/** Creates an object without a ledger. After a lost answer, none of the `others` is taken for it, because they existed before. */
export function createUnrecorded(
  api: Api & { forStep(beforeWrite: () => void): Api },
  definition: ResourceDefinition,
  key: Key,
  values: FieldValues,
  others: readonly Found[],
): Promise<Created> {
  const isOther = (id: string) => others.some((object) => object.id === id);
  const attempt: Attempt = { attemptedAt: api.serviceNow(), isOther };
  const beforePost = () => {
    attempt.attemptedAt = api.serviceNow();
    attempt.firstAttemptAt ??= attempt.attemptedAt;
  };
  return definition.create(api.forStep(beforePost), key, values, attempt);
}

/** Reads after a failed write. Throws the failure of the write if the read fails too. */
export function lookAfter<Result>(failure: unknown, look: () => Promise<Result>): Promise<Result> {
  return look().catch(() => {
    throw failure;
  });
}

/** Reads several times after a lost answer, until it finds an object. */
export async function lookPatiently(api: Api, look: () => Promise<readonly Found[]>) {
  let objects = await look();
  for (const pause of pauses) {
    if (objects.length > 0) break;
    await api.wait(pause);
    objects = await look();
  }
  return objects;
}

/** A 404 may also mean "not allowed", so a whole list must lack the object too. */
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
export async function unlessNotFound<Result>(result: Promise<Result>): Promise<Result | undefined> {
  return result.catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
}

/** Deletes an object. A 404 counts as success only if the object is proved missing. */
export async function deleteUnlessGone(
  deletion: Promise<void>,
  isGone: () => Promise<boolean>,
): Promise<void> {
  await deletion.catch(async (error: unknown) => {
    if (!(error instanceof NotFound) || !(await lookAfter(error, isGone))) throw error;
  });
}
