/** From flags, variables and the profile to where the calls go, with which token and how fast. */
import { BadOption } from '../client/errors';
import {
  type ClientOptions,
  environmentToken,
  parseAddress,
  productAddress,
  productToken,
  type Setting,
  type SettingSource,
  settingOf,
  usualRate,
} from '../client/options';
import type { Profile } from '../resources/profile';
import type { Call } from './call';
import { UserError } from './errors';
import type { NetworkFlags } from './flags';
import { type Io, variable } from './io';
import { clientEvents } from './output';

export interface Connection {
  readonly address: string;
  /** `--address` or a variable. */
  readonly addressFrom: string;
  readonly token: string;
  /** Where to look when it is refused. */
  readonly tokenFrom: string;
  /** Requests a second. */
  readonly rate: number;
  /** For one attempt. */
  readonly timeoutMs?: number;
  /** For one operation with its retries. */
  readonly deadlineMs?: number;
}

/** Everything a client needs; `profile` is null where no manifest could be read. Throws one `UserError` that names all that is missing. */
export function connectionOf(flags: NetworkFlags, io: Io, profile: Profile | null): Connection {
  const source: SettingSource = { variable: (name) => variable(io, name), folder: () => io.cwd };
  const flag: Setting | undefined =
    flags.address === undefined ? undefined : { value: flags.address, from: '--address' };
  const address = flag ?? settingOf(source, 'TETHER_ADDRESS') ?? productAddress(profile, source);
  // Never of a flag, which other users of the machine can see.
  const token = environmentToken(source) ?? productToken(profile, source);
  const missing = [
    ...(address === undefined
      ? [
          `no address: pass --address or set TETHER_ADDRESS to the base URL of the service, with /api/v2${alsoRead(profile, ['address', 'hostname'])}`,
        ]
      : []),
    ...(token === undefined
      ? [
          `no token: set TETHER_TOKEN, or TETHER_TOKEN_FILE to a file that holds it${alsoRead(profile, ['token'])}`,
        ]
      : []),
  ];
  if (address === undefined || token === undefined) throw new UserError(missing.join('\n'));
  return {
    address: address.value,
    addressFrom: address.from,
    token: token.value,
    tokenFrom: token.from,
    rate: flags.rate ?? usualRate(profile),
    ...(flags.timeout === undefined ? {} : timesOf(flags.timeout)),
  };
}

/** Patience for one attempt leaves room for retries. */
function timesOf(seconds: number): Pick<Connection, 'timeoutMs' | 'deadlineMs'> {
  return { timeoutMs: seconds * 1000, deadlineMs: Math.max(120_000, seconds * 4000) };
}

/** What the profile reads besides, for a message; empty where it reads nothing. */
function alsoRead(
  profile: Profile | null,
  settings: readonly (keyof NonNullable<Profile['environment']>)[],
): string {
  const names = settings.flatMap((what) => profile?.environment?.[what] ?? []);
  return names.length === 0 ? '' : ` (this profile also reads ${names.join(', ')})`;
}

/** What a client is made from. Throws a `UserError` that names all that is missing. */
export function connect(
  { flags, io, output }: Call<NetworkFlags>,
  profile: Profile | null,
): Connection & Pick<ClientOptions, 'onEvent' | 'signal'> {
  const connection = connectionOf(flags, io, profile);
  output.hide(connection.token);
  const address = checked(connection);
  if (!/\/api\/v\d+$/.test(address)) {
    output.log('warn', `the address ${address} does not end in /api/v2, the base path of the API`);
  }
  return { ...connection, address, signal: io.signal, onEvent: clientEvents(output, io.now) };
}

/** Checked before any message shows the address, which may hold a password. */
function checked({ address, addressFrom }: Connection): string {
  try {
    return parseAddress(address);
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    throw new UserError(`${error.message} (it comes from ${addressFrom})`);
  }
}
