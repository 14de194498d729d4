// What a service-provider value demands of the fields of a client, as the profile says it.

import type { ProfileField, ServiceProvider } from '../profile';
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

function given(attributes: SentAttributes, field: ProfileField): boolean {
  const value = attributes[wireNames[field]];
  return value !== undefined && value !== '';
}

/** What a create of this provider lacks. */
export function complaintsOnCreate(provider: ServiceProvider, attributes: CreateAttributes): WireComplaint[] {
  const name = attributes['service-provider'];
  const missing = (provider.needs ?? [])
    .filter((field) => !given(attributes, field))
    .map((field) => complaint(field, `is required for ${name}`));
  const halves = (provider.together ?? [])
    .filter((group) => group.some((field) => given(attributes, field)))
    .flatMap((group) => group.filter((field) => !given(attributes, field)).map((field) => ({ group, field })))
    .map(({ group, field }) => {
      const others = group.filter((other) => other !== field).map((other) => wireNames[other]);
      return complaint(field, `is required for ${name} together with ${others.join(', ')}`);
    });
  return [...missing, ...halves, ...complaintsOnEmpty(provider, attributes)];
}

/** What an update of this provider must not empty. */
export function complaintsOnEmpty(provider: ServiceProvider, attributes: SentAttributes): WireComplaint[] {
  return (provider.neverEmpty ?? [])
    .filter((field) => attributes[wireNames[field]] === '')
    .map((field) => complaint(field, 'must not be empty'));
}
