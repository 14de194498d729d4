/** Answers to a write that cannot be taken as they are, and looking at what a failed write left. */

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
