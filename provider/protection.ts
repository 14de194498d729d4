/** Refusals to destroy a protected OAuth client, and what a destruction does to workspaces. */
import { ProviderError } from './failures';
import type { Props } from './props';
import type { Session } from './session';

/** Refuses a replacement unless the protection is lifted. No fields: an option asks for it. */
export async function refuseProtectedReplace(
  session: Session,
  id: string,
  olds: Props,
  news: Props,
  fields: readonly string[],
): Promise<void> {
  if (session.run.mayReplace(id, olds, news)) return;
  const why =
    fields.length === 0
      ? 'an option of the resource or of the command asks for it'
      : `${fields.join(', ')} cannot be changed in place`;
  throw new ProviderError(
    `${id} would be replaced (${why}), and it is protected: ${await unlinked(session, id)}. To replace it all the same set deletionProtection: false, or TETHER_ALLOW_DESTROY=${id} for one run`,
  );
}

/** Refuses a destruction unless the protection is lifted. */
export async function refuseProtectedDelete(session: Session, id: string, props: Props): Promise<void> {
  if (session.run.mayDelete(id, props)) return;
  throw new ProviderError(
    `${id} is protected and was not destroyed: ${await unlinked(session, id)}. To destroy it run again with TETHER_ALLOW_DESTROY=${id}, or set deletionProtection: false, run \`pulumi up\`, and then destroy it`,
  );
}

/** What a destruction does to workspaces, with their number where the service can tell. */
export async function unlinked(session: Session, id: string): Promise<string> {
  const unknown = session.profile.capabilities.affectedWorkspaces ? '' : ' (their number is unknown)';
  const all = `every workspace that uses it${unknown} is unlinked from its repository and has to be linked again by hand`;
  if (unknown !== '') return all;
  try {
    const { count, names } = await session.api.oauthClients.affectedWorkspaces(id);
    const shown = `${names.join(', ')}${count > names.length ? ', …' : ''}`;
    if (count === 0) return 'no workspace uses it at present';
    return count === 1
      ? `1 workspace (${shown}) is unlinked from its repository and has to be linked again by hand`
      : `${count} workspaces (${shown}) are unlinked from their repositories and have to be linked again by hand`;
  } catch {
    // The refusal matters more than the number.
    return all;
  }
}
