/** What one run of the engine has shown, and what it may therefore replace or destroy; see docs/architecture.md. */
import type { Api } from '../client/api';
import type { FieldValues } from '../resources/kind';
import { unlinkedBy } from '../resources/oauth-client';
import type { Profile } from '../resources/profile';
import type { Surroundings } from './account';
import { ProviderError } from './failures';
import { type Props, textOf } from './state';

/** What the run has shown of one client; of a replacement that an option asks for it is only a part. */
export interface ShownClient {
  /** Declared: its inputs in this run. */
  readonly inputs?: Props;
  /** Declared before: its inputs in the state; absent when it is new, tainted or named by `--replace`. */
  readonly before?: Props;
  /** Seen: its object when a diff or a refresh of this run looked at it. */
  readonly seen?: { readonly id: string; readonly olds: Props };
  /** Removed: what its object had that this run destroyed to make room for the successor. */
  readonly removed?: FieldValues;
}

export class RunMemory {
  /** By `createKey`, which a resource keeps over all runs. */
  private readonly clients = new Map<string, ShownClient>();
  /** By id, or by the pair of a link. Wanted is final. */
  private readonly objects = new Map<string, 'replaceable' | 'wanted'>();

  constructor(private readonly around: Surroundings) {}

  /** Empty for props without a key. */
  shown(props: Props): ShownClient {
    return this.clients.get(textOf(props, 'createKey') ?? '') ?? {};
  }

  show(props: Props, part: ShownClient): void {
    const key = textOf(props, 'createKey');
    if (key !== undefined) this.clients.set(key, { ...this.clients.get(key), ...part });
  }

  /** A resource of this run manages the object: no other takes it along when it goes. */
  want(object: string): void {
    this.objects.set(object, 'wanted');
  }

  isWanted(object: string): boolean {
    return this.objects.get(object) === 'wanted';
  }

  /** A diff of this run found that the client may be replaced: its delete may follow. */
  allowReplace(id: string): void {
    if (!this.isWanted(id)) this.objects.set(id, 'replaceable');
  }

  isReplaceable(id: string): boolean {
    return this.objects.get(id) === 'replaceable';
  }

  /** True when `TETHER_ALLOW_DESTROY` names the object. */
  mayDestroy(id: string): boolean {
    const named = (this.around.variable('TETHER_ALLOW_DESTROY') ?? '').split(',').map((one) => one.trim());
    return id !== '' && named.includes(id);
  }

  /** True when inputs, state or environment lift the protection for a replacement. */
  mayReplace(id: string, olds: Props, news: Props): boolean {
    return (news.deletionProtection ?? olds.deletionProtection) === false || this.mayDestroy(id);
  }

  /** True when state, environment or a replacement of this run lifts the protection for a delete. */
  mayDelete(id: string, props: Props): boolean {
    if (this.isReplaceable(id) || this.mayReplace(id, props, {})) return true;
    // Declared and destroyed in one run means replaced, unless it is what an earlier run left: then its successor was seen.
    const { inputs, seen } = this.shown(props);
    const isReplaced = inputs !== undefined && (seen === undefined || seen.id === id);
    return isReplaced && this.mayReplace(id, props, inputs);
  }
}

interface Run {
  readonly run: RunMemory;
  readonly api: Api;
  readonly profile: Profile;
}

/** Without fields an option asks for the replacement. */
export async function refuseProtectedReplace(
  session: Run,
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

export async function refuseProtectedDelete(session: Run, id: string, props: Props): Promise<void> {
  if (session.run.mayDelete(id, props)) return;
  throw new ProviderError(
    `${id} is protected and was not destroyed: ${await unlinked(session, id)}. To destroy it run again with TETHER_ALLOW_DESTROY=${id}, or set deletionProtection: false, run \`pulumi up\`, and then destroy it`,
  );
}

/** What a destruction does to workspaces, as exactly as the service tells. */
export async function unlinked(session: Run, id: string): Promise<string> {
  const { affectedWorkspaces } = session.profile.capabilities;
  const ask = async () => (affectedWorkspaces ? session.api.oauthClients.affectedWorkspaces(id) : undefined);
  // Where it fails, as in a preview without a token, the refusal matters more than the number.
  return unlinkedBy(await ask().catch(() => undefined));
}
