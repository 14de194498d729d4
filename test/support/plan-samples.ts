/** The client that tests of planning have in common, as a manifest writes it and as the ledger remembers it; and what was planned for it. */
import assert from 'node:assert/strict';
import type { OrganizationPlan, Plan } from '../../reconciler/plan/plan';

export const github = `oauthClients:
  github:
    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
`;

export const values = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

/** The plan of the first organization; fails when there is none. */
export function planOf({ plan }: { readonly plan: Plan }): OrganizationPlan {
  const [organization] = plan.organizations;
  assert.ok(organization);
  return organization;
}
