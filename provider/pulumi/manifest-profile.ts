/** The profile of a manifest and that of its provider: one service has one. */
import { Config, type Input, type ProviderResource, RunError } from '@pulumi/pulumi';
import type { DesiredOrganization } from '../../manifest';
import { type Given, profileNameOf, profileOf } from '../account';
import { messageOf } from '../one-line';
import type { Surroundings } from '../surroundings';
import { Provider } from './provider';

/** What the provider of a resource was given about its profile; undefined when only a run will tell. */
export function profileGiven(provider: ProviderResource | undefined): Given | undefined {
  if (provider === undefined) {
    const profile = new Config('tether').get('profile');
    return { explicit: false, ...(profile === undefined ? {} : { profile }) };
  }
  if (!(provider instanceof Provider)) return undefined;
  const profile: Input<string> | undefined = provider.args.profile;
  if (profile === undefined) return { explicit: true };
  return typeof profile === 'string' ? { explicit: true, profile } : undefined;
}

/** The profile that overrides the manifests' lines, as `--profile` does; undefined where nobody names one. */
export function overridingProfile(given: Given | undefined, around: Surroundings): string | undefined {
  if (given === undefined) return undefined;
  return given.profile === undefined && around.variable('TETHER_PROFILE') === undefined
    ? undefined
    : profileNameOf(given, around);
}

/** Refuses a manifest whose profile is not that of the provider: its values would be judged by another service's. */
export function refuseOtherProfile(
  organizations: readonly DesiredOrganization[],
  given: Given | undefined,
  around: Surroundings,
): void {
  if (given === undefined) return;
  let own: string;
  try {
    own = profileOf(given, around).name;
  } catch (error) {
    throw new RunError(messageOf(error));
  }
  const other = organizations.find(({ profile }) => profile.name !== own);
  if (other === undefined) return;
  const repair = given.explicit
    ? `give the provider profile: '${other.profileName}'`
    : `run \`pulumi config set tether:profile ${other.profileName}\``;
  throw new RunError(
    `the manifest of ${other.organization} is for profile ${other.profile.name}, and its provider works with ${own}: ${repair}`,
  );
}
