// What a service-provider value demands of the attributes of a client, as the profile says it.

import { digestSecret } from '../machine';
import { type AttributeName, type SentAttributes, wireName } from '../oauth-client-attributes';
import type { Profile, ServiceProvider } from '../profile';
import type { OAuthClientRecord } from '../store/records';
import type { BodyMistake } from './refusal';

type Given = (name: AttributeName) => boolean;

/** What a create of its provider lacks. */
export function mistakesOfCreate(
  { serviceProviders }: Profile,
  attributes: SentAttributes & { readonly serviceProvider?: string },
): BodyMistake[] {
  const name = attributes.serviceProvider ?? '';
  const provider: Partial<ServiceProvider> = serviceProviders[name] ?? {};
  const given: Given = (attribute) => (attributes[attribute] ?? '') !== '';
  const missing = (provider.needs ?? [])
    .filter((attribute) => !given(attribute))
    .map((attribute) => mistake(attribute, `is required for ${name}`));
  const halves = (provider.together ?? []).flatMap((group) => mistakesOfHalf(name, group, given));
  return [...missing, ...halves, ...mistakesOfEmpty(provider, attributes)];
}

/** What an update must not empty, and what it would leave in half. What the client keeps counts too. */
export function mistakesOfUpdate(
  { serviceProviders }: Profile,
  attributes: SentAttributes,
  client: OAuthClientRecord,
): BodyMistake[] {
  const provider: Partial<ServiceProvider> = serviceProviders[client.serviceProvider] ?? {};
  const sent: Given = (attribute) => attributes[attribute] !== undefined;
  const given: Given = (attribute) =>
    sent(attribute) ? attributes[attribute] !== '' : holds(client, attribute);
  const halves = (provider.together ?? [])
    .filter((group) => group.some(sent))
    .flatMap((group) => mistakesOfHalf(client.serviceProvider, group, given));
  return [...halves, ...mistakesOfEmpty(provider, attributes)];
}

function mistake(attribute: AttributeName, detail: string): BodyMistake {
  const name = wireName(attribute);
  return { pointer: `/data/attributes/${name}`, detail: `${name} ${detail}` };
}

function mistakesOfHalf(provider: string, group: readonly AttributeName[], given: Given): BodyMistake[] {
  if (!group.some(given)) return [];
  return group
    .filter((attribute) => !given(attribute))
    .map((attribute) => {
      const others = group.filter((other) => other !== attribute).map(wireName);
      return mistake(attribute, `is required for ${provider} together with ${others.join(', ')}`);
    });
}

function mistakesOfEmpty({ neverEmpty = [] }: Partial<ServiceProvider>, attributes: SentAttributes) {
  return neverEmpty
    .filter((attribute) => attributes[attribute] === '')
    .map((attribute) => mistake(attribute, 'must not be empty'));
}

const nothing: readonly unknown[] = [undefined, null, '', digestSecret('')];

/** Whether a client has a value for the attribute that is not empty. */
function holds(client: OAuthClientRecord, attribute: AttributeName): boolean {
  const secrets: { readonly [Name in AttributeName]?: string | null | undefined } = {
    secret: client.secretDigest,
    privateKey: client.privateKeyDigest,
    oauthTokenString: client.oauthTokens[0]?.id,
  };
  return !nothing.includes(attribute in secrets ? secrets[attribute] : Reflect.get(client, attribute));
}
