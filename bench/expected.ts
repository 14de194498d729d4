/** Where the small worlds cost more than the bound: by profile, shape and step, how many calls and how many of them lists. */
export const expectedExcess: Readonly<Record<string, readonly [calls: number, lists: number]>> = {
  // A target that gains one source and loses another is looked at, to see whether it has room.
  'hcp-terraform, random, one change, plan': [1, 1],
  'hcp-terraform, random, one change, apply': [1, 1],
};
