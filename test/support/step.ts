/** Steps that build on each other, inside one test: together they stand alone, and a failure names its step. */

/** Runs the step; its failure begins with the step's name. */
export async function step(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) error.message = `${name}: ${error.message}`;
    throw error;
  }
}
