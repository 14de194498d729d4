/** The connection of a command: settled, its token hidden from everything that is said, oddities warned of. */

import { BadOption } from '../client/errors';
import { type ClientOptions, parseAddress } from '../client/options';

import type { Profile } from '../resources/profile';
import type { Call } from './call';
import { clientEvents } from './client-events';
import { UserError } from './errors';
import type { NetworkFlags } from './flags';
import { type Connection, connectionOf } from './settings';

/** What a client is made from. Throws a `UserError` that names all that is missing. */
export function connect(
  { flags, io, voice }: Call<NetworkFlags>,
  profile: Profile | null,
): Connection & Pick<ClientOptions, 'onEvent' | 'signal'> {
  const connection = connectionOf(flags, io, profile);
  voice.hide(connection.token);
  const address = checked(connection);
  if (!/\/api\/v\d+$/.test(address)) {
    voice.log('warn', `the address ${address} does not end in /api/v2, where the API lives`);
  }
  return { ...connection, address, signal: io.signal, onEvent: clientEvents(voice, io.now) };
}

/** Before anything is said of the address: what makes it unusable, or must not be shown, comes first. */
function checked({ address, addressFrom }: Connection): string {
  try {
    return parseAddress(address);
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    throw new UserError(`${error.message} (it comes from ${addressFrom})`);
  }
}
