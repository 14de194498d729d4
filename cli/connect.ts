/** The connection of a command: settled, its token hidden from everything that is said, oddities warned of. */
import type { Manifests } from '../manifest/desired';
import type { Call } from './call';
import { clientEvents } from './client-events';
import type { NetworkFlags } from './flags';
import { type Connection, connectionOf } from './settings';
import { profilesOf } from './workspace';

/** What a client is made from. Throws a `UserError` that names all that is missing. */
export function connect(
  { flags, io, voice }: Call<NetworkFlags>,
  manifests: Manifests,
): Connection & { readonly onEvent: ReturnType<typeof clientEvents> } {
  const connection = connectionOf(flags, io, profilesOf(manifests));
  voice.hide(connection.token);
  if (!/\/api\/v\d+\/*$/.test(connection.address)) {
    voice.log('warn', `the address ${connection.address} does not end in /api/v2, where the API lives`);
  }
  return { ...connection, onEvent: clientEvents(voice, io.now) };
}
