/** One pass: observe what the manifests and the ledger speak of, compare secrets, and plan. Sends nothing but GET. */
import type { ReadApi } from '../client/api';
import { BadAnswer, Invalid, NotFound } from '../client/errors';
import type { DesiredOrganization, Manifests } from '../manifest/desired';
import { inParallel, observe } from '../observation/observe';
import { listName } from '../resources/lists';
import { definitionOf, registry as kinds, type Registry } from '../resources/registry';
import { compareSecrets } from './compare-secrets';
import type { PlanInputs } from './inputs';
import type { Ledger } from './ledger/ledger';
import { observationNeeds } from './observation-needs';
import { planAll } from './plan/make';
import type { PlanOptions } from './plan/options';
import type { Plan } from './plan/plan';
import { resolveSecret } from './secrets';
import { refuseUnseen } from './unseen';

export interface MakePlanOptions {
  readonly api: ReadApi;
  /** Without errors among its issues. */
  readonly manifests: Manifests;
  /** Folded with its journal. */
  readonly ledger: Ledger;
  readonly options: PlanOptions;
  /** Where `fromEnv` looks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `fromFile` is relative to. */
  readonly root: string;
  readonly registry?: Registry;
}

export interface MadePlan {
  readonly plan: Plan;
  readonly inputs: PlanInputs;
}

/** The ledger belongs to other organizations than the manifests. */
export class LedgerMismatch extends Error {
  override readonly name = 'LedgerMismatch';
}

/** Plans against what is there now. Throws `ApiError`, `OrganizationsUnseen` or `LedgerMismatch`. */
export async function makePlan(given: MakePlanOptions): Promise<MadePlan> {
  const { api, ledger, options, env, root, registry = kinds } = given;
  const manifests = withLedgerOnly(given.manifests, ledger);
  const observed = await observe(api, observationNeeds(manifests, ledger, registry));
  refuseUnseen(manifests, observed, listsNeeded(manifests, ledger, registry));
  const lookup = async (source: Parameters<typeof resolveSecret>[0]): Promise<string | null> => {
    const resolution = await resolveSecret(source, { env, root });
    return resolution.ok ? resolution.value : null;
  };
  const secrets = await compareSecrets(manifests, ledger, lookup, registry);
  const inputs: PlanInputs = { manifests, ledger, observed, secrets };
  const plan = planAll(inputs, options, registry);
  const affected = await readAffected(api, manifests, plan, registry);
  if (Object.keys(affected).length === 0) return { plan, inputs };
  const informed = { ...inputs, observed: { ...observed, affected } };
  return { plan: planAll(informed, options, registry), inputs: informed };
}

/** Names of the lists that planning needs: not those that are read only to look for what a create may have left. */
function listsNeeded(manifests: Manifests, ledger: Ledger, registry: Registry): ReadonlySet<string> {
  const settled = {
    ...ledger,
    organizations: Object.fromEntries(
      Object.entries(ledger.organizations).map(([name, one]) => [
        name,
        { ...one, pending: {}, tombstones: [] },
      ]),
    ),
  };
  const { expected, forced } = observationNeeds(manifests, settled, registry);
  const refs = [...forced, ...expected.flatMap(({ definition, key }) => definition.listedIn(key))];
  return new Set(refs.map(listName));
}

/** Which workspaces a destruction would unlink, where the profile's service can tell. */
async function readAffected(
  api: ReadApi,
  manifests: Manifests,
  plan: Plan,
  registry: Registry,
): Promise<PlanInputs['observed']['affected']> {
  const able = new Set(
    manifests.organizations
      .filter((one) => one.profile.capabilities.affectedWorkspaces)
      .map((one) => one.organization),
  );
  const ids = plan.organizations
    .filter((one) => able.has(one.organization))
    .flatMap((one) => one.steps)
    .filter((step) => step.action === 'delete' && definitionOf(step.kind, registry).pair.length === 0)
    .flatMap((step) => step.objectId ?? []);
  const affected: Record<string, PlanInputs['observed']['affected'][string]> = {};
  await inParallel([...new Set(ids)], async (id) => {
    try {
      affected[id] = await api.oauthClients.affectedWorkspaces(id);
    } catch (error) {
      // It only informs: where it is not told, the plan says "an unknown number of workspaces".
      if (!(error instanceof BadAnswer || error instanceof Invalid || error instanceof NotFound)) throw error;
    }
  });
  return affected;
}

/** An organization whose last manifest was deleted still has a ledger: it is planned with nothing wanted. */
function withLedgerOnly(manifests: Manifests, ledger: Ledger): Manifests {
  const held = Object.entries(ledger.organizations).filter(
    ([, one]) => Object.keys(one.objects).length + Object.keys(one.pending).length > 0,
  );
  const declared = new Set(manifests.organizations.map((one) => one.organization));
  const first = manifests.organizations[0];
  if (held.length === 0 || first === undefined) return manifests;
  const others = held
    .map(([organization]) => organization)
    .filter((organization) => !declared.has(organization));
  if (others.length === held.length) {
    throw new LedgerMismatch(
      `the ledger is of organization ${others.join(', ')}, and the manifests are of ${[...declared].join(', ')}: nothing was planned. Correct \`organization:\`; or, if this folder is for another organization now, move the ledger away`,
    );
  }
  if (others.length === 0) return manifests;
  return {
    ...manifests,
    organizations: [...manifests.organizations, ...others.map((one) => emptyOrganization(one, first))],
  };
}

function emptyOrganization(organization: string, model: DesiredOrganization): DesiredOrganization {
  return {
    organization,
    profile: model.profile,
    profileName: model.profileName,
    entries: [],
    sets: [],
    aliases: { workspaces: {}, projects: {}, agentPools: {} },
    moved: [],
    forget: [],
    approved: [],
  };
}
