/** Writes existing objects as a manifest or a Pulumi program, which adopts them without a change. Pure. */
import type { OAuthClientDocument } from '../../client/api';
import { escapedInString, inert } from '../../client/text';
import { nameInAddress } from '../../manifest/desired';
import { type WritableEntry, writeManifest } from '../../manifest/write';
import { carriedOver } from '../../resources/diff';
import { type FieldValue, type FieldValues, setMembers } from '../../resources/kind';
import { nameProblem, toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import type { Profile } from '../../resources/profile';
import { runTrigger } from '../../resources/run-trigger';
import { stringViolation, violationsAcross } from '../../resources/violations';
import type { Existing } from './existing';

/** Returns drafts, and a sentence for each object or field that a manifest cannot hold. */
export function makeDrafts({ clients, triggers }: Existing, profile: Profile) {
  const leftOut: string[] = [];
  const takenNames = new Set<string>();
  // Clients that have a name choose their addresses first.
  const isNamed = ({ name }: OAuthClientDocument) => toWords(name ?? '') !== '';
  const ordered = [...clients.filter(isNamed), ...clients.filter((client) => !isNamed(client))];
  const drafts = ordered.flatMap((client): WritableEntry[] => {
    const { inputs, dropped } = sendableFields(client, profile);
    for (const [field, why] of dropped) leftOut.push(`${field} of ${client.id} is left out: ${why}`);
    const isLacking = Object.entries(oauthClient.fields).some(
      ([name, { required, refersTo }]) => required && !refersTo && !(name in inputs),
    );
    if (isLacking) {
      leftOut.push(`${client.id} is left out: it lacks a field that every manifest must have`);
      return [];
    }
    const address = toAddress(oauthClient, takeFree(nameFor(client), takenNames));
    return [{ kind: oauthClient.kind, address, id: client.id, inputs }];
  });
  drafts.sort((left, right) => (left.address < right.address ? -1 : 1));
  const links = triggers.map(({ workspaceId, sourceableId }): WritableEntry => {
    const address = toAddress(runTrigger, `${workspaceId}/${sourceableId}`);
    return { kind: runTrigger.kind, address, inputs: { workspaceId, sourceableId } };
  });
  return { drafts: [...drafts, ...links], leftOut };
}

/** Drops each field that would make the manifest invalid, and returns the reasons. */
function sendableFields({ id: _, ...members }: OAuthClientDocument, profile: Profile) {
  const dropped = new Map<string, string>();
  const inputs: Record<string, FieldValue> = {};
  for (const [field, value] of Object.entries(carriedOver(oauthClient, members as FieldValues))) {
    const { refersTo, ...definition } = oauthClient.fields[field] ?? {};
    const isPlain = typeof value === 'string' && refersTo === undefined;
    const problem = isPlain ? stringViolation(definition, value, profile, addProfile)?.problem : undefined;
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (problem !== undefined) dropped.set(field, `its value ${problem}`);
    else if (!isEmpty) inputs[field] = Array.isArray(value) ? [...setMembers(value)].sort() : value;
  }
  // A field that is dropped may leave another without its company.
  for (;;) {
    const sentFields = new Set(Object.keys(inputs));
    const violations = violationsAcross(oauthClient, inputs, sentFields, profile);
    const [first] = violations.filter(({ path }) => sentFields.has(path));
    if (first === undefined) return { inputs, dropped };
    delete inputs[first.path];
    dropped.set(first.path, first.message);
  }
}

const addProfile = (name: string) => `add \`--profile ${name}\` to this command`;

function nameFor({ name, serviceProvider }: OAuthClientDocument): string {
  const words = toWords(name ?? '') || toWords(serviceProvider) || 'client';
  // A second one gets a number, which may make it look like an id.
  return nameProblem(words) === undefined && nameProblem(`${words}-2`) === undefined
    ? words
    : `client-${words}`;
}

/** Returns letters and digits in lower case with dashes between words. The result may be empty. */
function toWords(text: string): string {
  const letters = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    // Services set no limit on a name.
    .slice(0, 60);
  return letters.replace(/^-|-$/g, '');
}

/** Returns the name, or the name with the first number that makes it free. */
function takeFree(name: string, takenNames: Set<string>): string {
  let free = name;
  for (let number = 2; takenNames.has(free); number += 1) free = `${name}-${number}`;
  takenNames.add(free);
  return free;
}

export function renderAsManifest(existing: Existing, entries: readonly WritableEntry[], profileName: string) {
  const { organization, names } = existing;
  const comment = `Exported from ${organization}.`;
  return writeManifest({ organization, profileName, comment, namesById: names, entries });
}

export function renderAsProgram({ organization, names }: Existing, drafts: readonly WritableEntry[]): string {
  const takenNames = new Set<string>();
  const nameById = (id: unknown) => toWords(names.get(String(id)) ?? String(id));
  const statements = drafts.map(({ kind, address, id, inputs }) => {
    const { workspaceId, sourceableId } = inputs;
    const pair = `${nameById(sourceableId)}-to-${nameById(workspaceId)}`;
    const name = takeFree(id === undefined ? pair : nameInAddress(address), takenNames);
    const args = id === undefined ? inputs : { organization, adoptId: id, ...inputs };
    const lines = Object.entries(args).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},`);
    return [`new tether.${kind}("${name}", {`, ...lines, '});'].join('\n');
  });
  const program = ["import * as tether from 'tether-iac/pulumi';", ...statements].join('\n\n');
  return `${inert(program, escapedInString)}\n`;
}
