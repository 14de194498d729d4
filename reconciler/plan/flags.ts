/** What flags say of addresses, in each organization of a plan: an approval or an id never falls on the wrong one. Pure. */
import { splitAddress } from '../../manifest/desired';
import type { Issue } from '../../resources/issue';
import type { PlanInputs } from '../inputs';
import type { PlanOptions } from './options';
import { targetsIn } from './targets';

type Problem = Issue & { readonly address: string };

/**
 * The options as one organization sees them, addresses without its name. Where `several` are planned, what approves or
 * adopts counts only with the name in front.
 */
export function optionsIn(organization: string, options: PlanOptions, several: boolean): PlanOptions {
  const own = (addresses: readonly string[]): readonly string[] =>
    targetsIn(
      organization,
      several ? addresses.filter((address) => !isWithoutOrganization(address)) : addresses,
    );
  return {
    ...options,
    targets: options.targets === null ? null : targetsIn(organization, options.targets),
    allowDestroy: own(options.allowDestroy),
    allowReplace: own(options.allowReplace),
    adopt: Object.fromEntries(
      Object.entries(options.adopt).flatMap(([address, id]) => own([address]).map((one) => [one, id])),
    ),
  };
}

/** Flags that cannot be followed: without an organization where several are planned, or adopting for what no manifest has. */
export function flagProblems({ manifests }: PlanInputs, options: PlanOptions): readonly Problem[] {
  const { organizations } = manifests;
  const given = [
    ...options.allowDestroy.map((address) => ({ flag: '--allow-destroy', address })),
    ...options.allowReplace.map((address) => ({ flag: '--allow-replace', address })),
    ...Object.keys(options.adopt).map((address) => ({ flag: '--adopt', address })),
  ];
  return given.flatMap(({ flag, address }) => {
    if (organizations.length > 1 && isWithoutOrganization(address)) {
      const names = organizations.map((one) => `${one.organization}:${address}`).join(' or ');
      const message = `${flag} ${address} does not say in which organization: write ${names}`;
      return [problem('flag-without-organization', address, message)];
    }
    const isWanted = organizations.some(({ organization, entries }) =>
      targetsIn(organization, [address]).some((one) => entries.some((entry) => entry.address === one)),
    );
    if (flag !== '--adopt' || isWanted) return [];
    return [problem('unknown-address', address, `${flag} ${address} names nothing in the manifests`)];
  });
}

function isWithoutOrganization(address: string): boolean {
  return splitAddress(address).organization === null;
}

function problem(rule: string, address: string, message: string): Problem {
  return { rule, severity: 'error', message, path: address, address };
}
