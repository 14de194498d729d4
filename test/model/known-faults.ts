/** Where the product does not yet do what design.md says. Each line goes with its fault, and this file with the last one. */
export const knownFaults = {
  /** Of several triggers of a pair the recorded one counts, and not the oldest. */
  recordedFirst: true,
  /** A recorded trigger is gone as soon as a list shows another one of its pair, without a Show and before two minutes. */
  otherOfPair: true,
  /** A managed link that goes is left alone where an unknown line has the same end, although no set is around it. */
  partWithoutSet: true,
} as const;
