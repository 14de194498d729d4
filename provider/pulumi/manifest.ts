/** A manifest as Pulumi resources: the same addresses and the same rules as on the command line. */
import {
  type Alias,
  ComponentResource,
  type ComponentResourceOptions,
  getProject,
  getStack,
  log,
  type Resource,
  RunError,
} from '@pulumi/pulumi';
import type { DesiredOrganization } from '../../manifest';
import { processSurroundings } from '../surroundings';
import { typeOf } from './declare';
import { type Children, declareOrganization } from './manifest-children';
import { readForProgram } from './manifest-file';
import { overridingProfile, profileGiven, refuseOtherProfile } from './manifest-profile';
import type { OAuthClient } from './oauth-client';

/** Where the manifest is. */
export interface ManifestArgs {
  /** A file or a folder, or several, relative to the program's folder. */
  readonly path: string | readonly string[];
  /** Overrides the manifests' `profile:` line; left out, what the provider was given does. It must be the provider's. */
  readonly profile?: string;
}

/** The type of the component in URNs; it never changes. */
const type = 'tether:index:Manifest';

/**
 * Turns YAML manifests into these resources. `moved` becomes aliases, `id` becomes `adoptId`, `approved: replace` lifts
 * the protection of that one object unless the entry says `protect`. Secrets come from where the manifest says.
 */
export class Manifest extends ComponentResource {
  /** Every resource by its address; with several organizations, `acme:OAuthClient/github`. */
  readonly resources: ReadonlyMap<string, Resource>;

  constructor(name: string, args: ManifestArgs, opts?: ComponentResourceOptions) {
    super(type, name, {}, opts);
    const paths = typeof args.path === 'string' ? [args.path] : args.path;
    const around = processSurroundings;
    const given = profileGiven(this.getProvider(typeOf('OAuthClient')));
    const profile = args.profile ?? overridingProfile(given, around);
    const { organizations, warnings, secret } = readForProgram(paths, profile, around);
    refuseOtherProfile(organizations, given, around);
    for (const warning of warnings) void log.warn(warning, this);
    const several = organizations.length > 1;
    const resources = new Map<string, Resource>();
    for (const organization of organizations) {
      const prefix = several ? `${organization.organization}:` : '';
      // Always with the organization: loading a second one must not rename what the first one has.
      const nameOf = (address: string): string => `${name}/${organization.organization}:${address}`;
      const children: Children = {
        organization,
        secret,
        parent: this,
        nameOf,
        aliasesOf: (address) => aliasesOf(organization, address, nameOf),
      };
      refuseOrders(organization, (address) => urnIn(nameOf(address), opts?.parent));
      for (const [address, child] of declareOrganization(children))
        resources.set(`${prefix}${address}`, child);
    }
    this.resources = resources;
    this.registerOutputs({});
  }

  /** The OAuth client of an address: `OAuthClient/github`. Throws when no manifest has it. */
  oauthClient(address: string): OAuthClient {
    const found = this.resources.get(address);
    if (found !== undefined && address.includes('OAuthClient/')) return found as OAuthClient;
    const known = [...this.resources.keys()].filter((one) => one.includes('OAuthClient/'));
    throw new RunError(`no manifest has ${address}; there are ${known.join(', ')}`);
  }
}

/** Names the resource had before, as `moved:` says. */
function aliasesOf(
  organization: DesiredOrganization,
  address: string,
  nameOf: (address: string) => string,
): Alias[] {
  return organization.moved
    .filter((line) => line.to === address)
    .map((line) => ({ name: nameOf(line.from) }));
}

/** Lines about what is no longer declared: a program has no say in that, the engine deletes by itself. All at once. */
function refuseOrders(organization: DesiredOrganization, urnOf: (address: string) => string): void {
  const forget = organization.forget.map(
    ({ address }) =>
      `forget ${address}: run \`pulumi state delete '${urnOf(address)}'\`, then remove the line and the resource stays untouched`,
  );
  const destroy = organization.approved
    .filter((line) => line.action === 'destroy')
    .map(
      ({ address, id }) =>
        `approved: destroy ${address}: run \`pulumi up\` once with TETHER_ALLOW_DESTROY=${id}, without this line`,
    );
  const lines = [...forget, ...destroy];
  if (lines.length === 0) return;
  throw new RunError(`a program cannot reach what it no longer declares.\n  ${lines.join('\n  ')}`);
}

/** The URN of a child; of a component inside another one only its end is known here. */
function urnIn(childName: string, parent: Resource | undefined): string {
  const kind = typeOf(/:([A-Za-z]+)\/[^:]*$/u.exec(childName)?.[1] ?? '');
  const place = parent === undefined ? `${getStack()}::${getProject()}::` : '…$';
  return `${parent === undefined ? 'urn:pulumi:' : ''}${place}${type}$${kind}::${childName}`;
}
