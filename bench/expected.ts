/** Where the small worlds still cost more than the bound: by profile, shape and step, how many calls and how many of them lists. */
export const expectedExcess: Readonly<Record<string, readonly [calls: number, lists: number]>> = {
  'default, layered, one change, plan': [1, 1],
  'default, layered, one change, apply': [1, 1],
  'default, hub, one change, plan': [1, 1],
  'default, hub, one change, apply': [1, 1],
  'default, adversarial, one change, plan': [1, 1],
  'default, adversarial, one change, apply': [1, 1],
  'hcp-terraform, layered, one change, plan': [1, 1],
  'hcp-terraform, layered, one change, apply': [1, 1],
  'hcp-terraform, hub, one change, plan': [1, 1],
  'hcp-terraform, hub, one change, apply': [1, 1],
  'hcp-terraform, adversarial, one change, plan': [1, 1],
  'hcp-terraform, adversarial, one change, apply': [1, 1],
};
