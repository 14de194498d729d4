/** Finds the address, the token and the proxy of the calls, and logs the calls. */
import * as querystring from 'node:querystring';
import { findAddress, findToken, organizationVariable, type Setting, usualRate } from '../client/account';
import { parseAddress } from '../client/address';
import { BadOption } from '../client/errors';
import { type ClientEvent, type ClientOptions, clientDefaults } from '../client/options';
import { findProxy } from '../client/proxy';
import { plain } from '../client/text';
import type { Profile } from '../resources/profile';
import type { Call } from './call';
import { UserError } from './errors';
import { numberVariable } from './flags';

const noAddress =
  'no address: pass --address or set TETHER_ADDRESS to the base URL of the service, with /api/v2';

/** Throws a `UserError` for a setting that is missing or wrong. */
export function readConnection(call: Call, profile: Profile, organization: string): ClientOptions {
  const { flags, io, settings } = call;
  const variable = (name: string) => (name === '--address' ? flags.address : settings.variable(name));
  const source = { ...settings, variable };
  const setting = findAddress(profile, source, '--address', 'TETHER_ADDRESS');
  const token = findToken(profile, source, organization);
  if (setting === undefined || token === undefined) {
    const moreVariables = profile.environment?.token ?? [];
    const alsoRead =
      moreVariables.length === 0 ? '' : ` (this profile also reads ${moreVariables.join(', ')})`;
    const names = `${organizationVariable(organization)} or TETHER_TOKEN`;
    const noToken = `no token: set ${names}, or TETHER_TOKEN_FILE to a file that holds it${alsoRead}`;
    throw new UserError([setting ? [] : noAddress, token ? [] : noToken].flat().join('\n'));
  }
  call.hide(token.value);
  const proxy = findProxy(setting.value, source);
  if (proxy !== undefined) call.hide(querystring.unescape(new URL(proxy).password));
  const address = checkAddress(setting);
  const timeout = numberVariable(call, 'TETHER_TIMEOUT', 'positive');
  // The documentation of the product names these kinds of tokens.
  const kinds = profile.environment === undefined ? '' : ' (a team, organization or user token)';
  return {
    address,
    token: token.value,
    tokenFrom: token.from + kinds,
    rate: numberVariable(call, 'TETHER_RATE', 'positive') ?? usualRate(profile),
    signal: io.signal,
    onEvent: clientEvents(call),
    ...(proxy && { proxy }),
    // A longer timeout for one attempt must leave room for retries.
    ...(timeout && {
      timeoutMs: timeout * 1000,
      deadlineMs: Math.max(clientDefaults.deadlineMs, timeout * 4000),
    }),
  };
}

/** Checks the address. It may hold a password, so no message shows it before this check. */
function checkAddress({ value, from }: Setting): string {
  try {
    return parseAddress(value);
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    throw new UserError(`${error.message} (it comes from ${from})`);
  }
}

/** Messages with the same cause are printed only once in this time. */
const quietMs = 5_000;

/** Writes waits and retries to stderr, and with `-v` also requests. */
function clientEvents(call: Call): (event: ClientEvent) => void {
  const quietUntil = new Map<string, number>();
  return (event) => {
    const request = plain(`${event.method} ${event.route}`);
    if (event.type === 'request') {
      call.log('info', `${request} ${event.status ?? 'no answer'} ${Math.round(event.ms)} ms`);
      return;
    }
    const now = call.io.now();
    if (now < (quietUntil.get(event.reason) ?? 0) && !call.admits('info')) return;
    quietUntil.set(event.reason, now + quietMs);
    const seconds = Math.max(0.1, event.delayMs / 1000).toFixed(1);
    const what = event.type === 'wait' ? 'waiting' : 'trying again in';
    call.log('warn', `${request}: ${plain(event.reason)}; ${what} ${seconds} s`);
  };
}
