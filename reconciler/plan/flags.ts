/** What flags say of addresses, in each organization of a plan: an approval or an id never falls on the wrong one. Pure. */
import { splitAddress } from '../../manifest/desired';
import { type KnownAddress, suggestAddress } from '../../manifest/nearest-address';
import type { Issue } from '../../resources/issue';
import { definitionOf, type Registry } from '../../resources/registry';
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

/** What flags ask for in vain. */
export interface FlagsJudged {
  /** They cannot be followed: what was meant is not known, and a misspelt adoption would create a second object. */
  readonly problems: readonly Problem[];
  /** Approvals of nothing: they may be spent, as when an interrupted run is repeated. */
  readonly warnings: readonly Issue[];
}

/** Judges the addresses of adoptions and approvals; targets are judged where the steps are known. */
export function judgeFlags(
  { manifests, ledger }: PlanInputs,
  options: PlanOptions,
  registry: Registry,
): FlagsJudged {
  const { organizations } = manifests;
  const isObject = ({ kind }: { readonly kind: string }): boolean =>
    definitionOf(kind, registry).pair.length === 0;
  const wanted = organizations.flatMap(({ organization, entries }) =>
    entries.filter(isObject).map(({ address }): KnownAddress => ({ organization, address })),
  );
  const held = Object.entries(ledger?.organizations ?? {}).flatMap(([organization, { objects }]) =>
    Object.entries(objects)
      .filter(([, object]) => isObject(object))
      .map(([address]): KnownAddress => ({ organization, address })),
  );
  const approvals = [
    ...options.allowDestroy.map((address) => ({ flag: '--allow-destroy', address })),
    ...options.allowReplace.map((address) => ({ flag: '--allow-replace', address })),
  ];
  const adoptions = Object.keys(options.adopt).map((address) => ({ flag: '--adopt', address }));
  const vague = [...approvals, ...adoptions].filter(
    ({ address }) => organizations.length > 1 && isWithoutOrganization(address),
  );
  const clear = (one: { readonly address: string }): boolean =>
    !vague.some(({ address }) => address === one.address);
  return {
    problems: [
      ...vague.map(({ flag, address }) => {
        const names = organizations.map((one) => `${one.organization}:${address}`).join(' or ');
        const message = `${flag} ${address} does not say in which organization: write ${names}`;
        return problem('flag-without-organization', address, message);
      }),
      ...adoptions
        .filter(clear)
        .flatMap(({ flag, address }) =>
          unknown(flag, address, wanted, 'the manifests').map((message) =>
            problem('unknown-address', address, message),
          ),
        ),
    ],
    warnings: approvals
      .filter(clear)
      .flatMap(({ flag, address }) =>
        unknown(flag, address, [...wanted, ...held], 'the manifests or the ledger'),
      )
      .map((message) => ({ rule: 'unknown-address', severity: 'warning', message, path: '' })),
  };
}

/** The message about an address that names no object there; none when it does. */
function unknown(
  flag: string,
  text: string,
  known: readonly KnownAddress[],
  where: string,
): readonly string[] {
  const isKnown = known.some(({ organization, address }) =>
    targetsIn(organization, [text]).some((one) => one === address),
  );
  if (isKnown) return [];
  return [`${flag} ${text} names no object with an id of its own in ${where}${suggestAddress(text, known)}`];
}

function isWithoutOrganization(address: string): boolean {
  return splitAddress(address).organization === null;
}

function problem(rule: string, address: string, message: string): Problem {
  return { rule, severity: 'error', message, path: address, address };
}
