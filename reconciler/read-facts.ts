/** Reads what a plan or a drift report needs to know. */
import { pathHint } from '../client/address';
import type { ReadApi } from '../client/api';
import { OperationalError } from '../client/errors';
import { renderPosition } from '../manifest/issues';
import { observe } from '../observation/observe';
import { toClientList } from '../resources/oauth-client-calls';
import { refuseOtherService } from './ledger/same-service';
import { Facts, unobserved } from './plan/facts';
import type { PlanInputs } from './plan/inputs';
import { observationNeeds } from './targets';

/** The inputs of a plan before the first request. */
export type GivenInputs = Omit<PlanInputs, 'observed' | 'secrets' | 'affected'>;

/** Throws `OrganizationNotVisible`, and `LedgerError` for the ledger of another service. */
export async function readFacts(api: ReadApi, given: GivenInputs): Promise<Facts> {
  const { organization, organizationAt } = given.manifests;
  refuseOtherService(given, api.address);
  const start = new Facts({ ...given, observed: unobserved });
  const observed = await observe(api, observationNeeds(start));
  const clients = observed.lists[toClientList(organization).name];
  if (clients?.state !== 'unreadable') return start.with({ observed });
  throw new OrganizationNotVisible(organization, renderPosition(organizationAt), observed.address);
}

/** The list of the organization's clients answered 404, so this token sees none of its clients. */
export class OrganizationNotVisible extends OperationalError {
  constructor(organization: string, at: string, address: string) {
    super(
      `The organization ${organization} was not found, or this token may not manage its VCS settings (the service does not say which). Check the name (${at}), the address ${address}${pathHint(address)} and what the token may do.`,
    );
  }
}
