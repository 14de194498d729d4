/** Looking at what a failed write left, where the failure alone does not say. */

/** What the look shows. Throws the failure of the write when the look fails too: that is what a person has to know first. */
export async function lookAfter<Seen>(failure: unknown, look: () => Promise<Seen>): Promise<Seen> {
  try {
    return await look();
  } catch {
    throw failure;
  }
}
