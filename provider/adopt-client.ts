/** Takes an OAuth client over that somebody else made. */

import { diff, onChangeOf } from '../resources/diff';
import type { FieldValues, Found } from '../resources/kind';
import { definitionOf } from '../resources/registry';
import { shown } from './look';
import { ProviderError } from './one-line';
import type { Session } from './session';

const definition = definitionOf('OAuthClient');

/** Takes an existing client over: checked first, then given what differs. Readable fields that never change in place must be equal. */
export async function adoptClient(session: Session, id: string, wanted: FieldValues): Promise<Found> {
  const { api, profile } = session;
  const found = await shown(session, definition, id);
  if (found === undefined) {
    throw new ProviderError(
      `adoptId names ${id}, which does not exist or which the token may not see: correct it, or remove it to create a new client`,
    );
  }
  if (found.values.organization !== '' && found.values.organization !== wanted.organization) {
    throw new ProviderError(
      `adoptId names ${id}, which belongs to ${String(found.values.organization)}, not to ${String(wanted.organization)}`,
    );
  }
  const changes = diff(
    definition,
    wanted,
    { ...found.values, organization: String(wanted.organization) },
    profile,
  );
  const fixed = changes.filter((one) => one.onChange === 'replace');
  if (fixed.length > 0) {
    const texts = fixed.map((one) => `its ${one.field} is ${JSON.stringify(one.from)}`);
    throw new ProviderError(
      `${id} cannot be adopted as it is: ${texts.join(', ')}, and that never changes in place. Correct the program, or name another client`,
    );
  }
  const secrets = Object.entries(definition.fields).flatMap(([name, field]) => {
    const value = wanted[name];
    const writable = field.writeOnly === true && onChangeOf(field, profile) === 'update';
    return writable && value !== undefined ? [[name, value] as const] : [];
  });
  const writes = Object.fromEntries([...changes.map((one) => [one.field, one.to] as const), ...secrets]);
  session.kept.add(id);
  if (Object.keys(writes).length === 0) return found;
  await definition.update?.(api, id, writes, found.values);
  return (await shown(session, definition, id)) ?? found;
}
