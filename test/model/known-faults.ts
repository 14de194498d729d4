/** Where the product does not yet do what design.md says. Each line goes with its fault, and this file with the last one. */
export const knownFaults = {
  /** A set with a member that is too young to be missing, or that no list shows, deletes what it does not list. */
  unknownMember: true,
  /** Of several triggers of a pair the recorded one counts, and not the oldest. */
  recordedFirst: true,
  /** A recorded trigger is gone as soon as a list shows another one of its pair, without a Show and before two minutes. */
  otherOfPair: true,
} as const;

/** Apply throws where a client is taken over and one of its attachments is to be made. */
export const knownCrash = /has no id yet/u;
