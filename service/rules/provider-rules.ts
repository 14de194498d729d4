// What a service-provider value demands of the fields of a client, as the profile says it.

import type { ProfileField, ServiceProvider } from '../profile';
import { digestSecret } from '../secret-digest';
import type { OAuthClientRecord } from '../store/records';
import type { CreateAttributes } from './client-body';

const wireNames = {
  key: 'key',
  secret: 'secret',
  privateKey: 'private-key',
  rsaPublicKey: 'rsa-public-key',
  oauthTokenString: 'oauth-token-string',
} as const satisfies Record<ProfileField, keyof CreateAttributes>;

type SentAttributes = Partial<CreateAttributes>;
type WireComplaint = { pointer: string; detail: string };

function complaint(field: ProfileField, detail: string): WireComplaint {
  return { pointer: `/data/attributes/${wireNames[field]}`, detail: `${wireNames[field]} ${detail}` };
}

/** What a create of this provider lacks. */
export function complaintsOnCreate(provider: ServiceProvider, attributes: CreateAttributes): WireComplaint[] {
  const name = attributes['service-provider'];
  const given = (field: ProfileField) => (attributes[wireNames[field]] ?? '') !== '';
  const missing = (provider.needs ?? [])
    .filter((field) => !given(field))
    .map((field) => complaint(field, `is required for ${name}`));
  const halves = (provider.together ?? []).flatMap((group) => complaintsOnHalf(name, group, given));
  return [...missing, ...halves, ...complaintsOnEmpty(provider, attributes)];
}

/** What an update of this provider must not empty, and what it would leave in half. What it keeps counts too. */
export function complaintsOnUpdate(
  provider: ServiceProvider,
  attributes: SentAttributes,
  client: OAuthClientRecord,
): WireComplaint[] {
  const sent = (field: ProfileField) => attributes[wireNames[field]] !== undefined;
  const given = (field: ProfileField) =>
    sent(field) ? attributes[wireNames[field]] !== '' : holds(client, field);
  const halves = (provider.together ?? [])
    .filter((group) => group.some(sent))
    .flatMap((group) => complaintsOnHalf(client.serviceProvider, group, given));
  return [...halves, ...complaintsOnEmpty(provider, attributes)];
}

function complaintsOnHalf(
  provider: string,
  group: readonly ProfileField[],
  given: (field: ProfileField) => boolean,
): WireComplaint[] {
  if (!group.some(given)) return [];
  return group
    .filter((field) => !given(field))
    .map((field) => {
      const others = group.filter((other) => other !== field).map((other) => wireNames[other]);
      return complaint(field, `is required for ${provider} together with ${others.join(', ')}`);
    });
}

function complaintsOnEmpty(provider: ServiceProvider, attributes: SentAttributes): WireComplaint[] {
  return (provider.neverEmpty ?? [])
    .filter((field) => attributes[wireNames[field]] === '')
    .map((field) => complaint(field, 'must not be empty'));
}

const nothing: readonly (string | null)[] = [null, '', digestSecret('')];

/** Whether a client has a value for the field that is not empty. */
function holds(client: OAuthClientRecord, field: ProfileField): boolean {
  const stored = {
    key: client.key,
    secret: client.secretDigest,
    privateKey: client.privateKeyDigest,
    rsaPublicKey: client.rsaPublicKey,
    oauthTokenString: client.oauthTokens[0]?.id ?? null,
  };
  return !nothing.includes(stored[field]);
}
