/** Existing objects as entries of a manifest or a program: their names, and the fields that they may carry. Pure. */
import type { OAuthClientDocument } from '../../client/api';
import { carriedOver } from '../../resources/diff';
import type { FieldValues } from '../../resources/kind';
import { nameProblem } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import type { Profile } from '../../resources/profile';
import { registry } from '../../resources/registry';
import { stringViolation, violationsAcross } from '../../resources/violations';

export interface ClientDraft {
  /** Unique: the last part of its address. */
  readonly name: string;
  readonly id: string;
  /** Readable fields by code name. */
  readonly inputs: FieldValues;
}

/** Clients with the names that they have get those first; the others are called after their provider. */
export function draftClients(clients: readonly OAuthClientDocument[], profile: Profile) {
  const leftOut: string[] = [];
  const taken = new Set<string>();
  const isNamed = ({ name }: OAuthClientDocument) => wordsOf(name ?? '') !== '';
  const ordered = [...clients.filter(isNamed), ...clients.filter((one) => !isNamed(one))];
  const drafts = ordered.flatMap((client): ClientDraft[] => {
    const { inputs, dropped } = sendableFields(client, profile);
    for (const { field, why } of dropped) leftOut.push(`${field} of ${client.id} is left out: ${why}`);
    const missing = Object.entries(oauthClient.fields).some(
      ([field, { required, refersTo }]) => required && refersTo === undefined && !(field in inputs),
    );
    if (missing) {
      leftOut.push(`${client.id} is left out: it lacks a field that every manifest must have`);
      return [];
    }
    const name = takeFree(nameFor(client), taken);
    return [{ name, id: client.id, inputs }];
  });
  return { drafts: drafts.sort((one, two) => (one.name < two.name ? -1 : 1)), leftOut };
}

/** A manifest must be valid as it is printed, so a field that it could not carry is dropped. */
function sendableFields(client: OAuthClientDocument, profile: Profile) {
  const { id: _, ...shown } = client;
  const inputs: Record<string, FieldValues[string]> = {};
  const dropped: { readonly field: string; readonly why: string }[] = [];
  for (const [field, value] of Object.entries(carriedOver(oauthClient, shown as FieldValues))) {
    const definition = oauthClient.fields[field];
    const isEmpty = Array.isArray(value) && value.length === 0;
    const problem =
      definition !== undefined && definition.refersTo === undefined && typeof value === 'string'
        ? stringViolation(definition, value, profile)?.problem
        : undefined;
    if (problem !== undefined) dropped.push({ field, why: `its value ${problem}` });
    else if (!isEmpty) inputs[field] = Array.isArray(value) ? [...value].sort() : value;
  }
  for (const { path, message } of violationsAcross(
    oauthClient,
    inputs,
    new Set(Object.keys(inputs)),
    profile,
  )) {
    delete inputs[path];
    dropped.push({ field: path, why: message });
  }
  return { inputs: inputs as FieldValues, dropped };
}

function nameFor({ name, serviceProvider }: OAuthClientDocument): string {
  const words = wordsOf(name ?? '') || wordsOf(serviceProvider) || 'client';
  return nameProblem(words, registry) === undefined ? words : `client-${words}`;
}

/** Letters and digits in lower case, with dashes between words; empty for none. */
export function wordsOf(text: string): string {
  const letters = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    // Services set no limit on a name.
    .slice(0, 60);
  return letters.replace(/^-|-$/g, '');
}

/** The name, or the name with the first number that makes it free. */
export function takeFree(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  taken.add(free);
  return free;
}
