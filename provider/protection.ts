/** What stands between an OAuth client and its destruction, and what a person is told of it. */
import { ProviderError } from './one-line';
import type { Props } from './props';
import type { Session } from './session';

/** True when this run's inputs, the state or the environment lift the protection for a replacement. */
export function mayReplace(session: Session, id: string, olds: Props, news: Props): boolean {
  const told = news.deletionProtection ?? olds.deletionProtection;
  return told === false || session.mayDestroy(id);
}

/** Refuses a replacement unless this run's inputs, the state or the environment lift the protection. No fields: an option asks for it. */
export async function refuseProtectedReplace(
  session: Session,
  id: string,
  olds: Props,
  news: Props,
  fields: readonly string[],
): Promise<void> {
  if (mayReplace(session, id, olds, news)) return;
  const why =
    fields.length === 0
      ? 'an option of the resource or of the command asks for it'
      : `${fields.join(', ')} cannot be changed in place`;
  throw new ProviderError(
    `${id} would be replaced (${why}), and it is protected: ${await unlinked(session, id)}. To replace it all the same set deletionProtection: false, or TETHER_ALLOW_DESTROY=${id} for one run`,
  );
}

/** Refuses a destruction unless the state, a replacement that this run may carry out or the environment lifts the protection. */
export async function refuseProtectedDelete(session: Session, id: string, props: Props): Promise<void> {
  const lifted = props.deletionProtection === false || session.replacing.has(id) || session.mayDestroy(id);
  if (lifted || mayMakeRoom(session, id, props)) return;
  throw new ProviderError(
    `${id} is protected and was not destroyed: ${await unlinked(session, id)}. To destroy it run again with TETHER_ALLOW_DESTROY=${id}, or set deletionProtection: false, run \`pulumi up\`, and then destroy it`,
  );
}

/**
 * Declared and destroyed in one run means replaced, also where the engine asked for no diff. What an earlier run left
 * behind is none of it: this run has seen its successor.
 */
function mayMakeRoom(session: Session, id: string, props: Props): boolean {
  const { inputs, seen } = session.known.of(props);
  if (inputs === undefined || (seen !== undefined && seen.id !== id)) return false;
  return mayReplace(session, id, props, inputs);
}

/** What a destruction does to workspaces, with their number where the service can tell. */
export async function unlinked(session: Session, id: string): Promise<string> {
  const repair = 'and has to be linked again by hand';
  if (!session.profile.capabilities.affectedWorkspaces) {
    return `every workspace that uses it (their number is unknown) is unlinked from its repository ${repair}`;
  }
  try {
    const { count, names } = await session.api.oauthClients.affectedWorkspaces(id);
    if (count === 0) return 'no workspace uses it at present';
    const more = count > names.length ? ', …' : '';
    return `${count} ${count === 1 ? 'workspace' : 'workspaces'} (${names.join(', ')}${more}) ${count === 1 ? 'is' : 'are'} unlinked from ${count === 1 ? 'its repository' : 'their repositories'} ${count === 1 ? repair : 'and have to be linked again by hand'}`;
  } catch {
    // The refusal matters more than the number.
    return `every workspace that uses it is unlinked from its repository ${repair}`;
  }
}
