/** The resources of one organization of a manifest: clients first, then their attachments, sets and single triggers. */
import { type Alias, secret as asSecret, type CustomResourceOptions, type Resource } from '@pulumi/pulumi';
import type { DesiredEntry, DesiredOrganization, ExactSet } from '../../manifest';
import {
  type DesiredValues,
  type FieldValue,
  isReference,
  type Reference,
  type SecretSource,
} from '../../resources';
import { inboundSet, outboundSet } from '../set-kinds';
import { ProjectAttachment, RunTrigger } from './links';
import { OAuthClient } from './oauth-client';
import type { OAuthClientArgs } from './properties';
import { InboundRunTriggers, OutboundRunTriggers } from './sets';

export interface Children {
  readonly organization: DesiredOrganization;
  readonly parent: Resource;
  secret(address: string, field: string, source: SecretSource): Promise<string>;
  nameOf(address: string): string;
  aliasesOf(address: string): Alias[];
}

/** Declares everything and returns it by address. */
export function declareOrganization(children: Children): ReadonlyMap<string, Resource> {
  const { entries, sets } = children.organization;
  const made = new Map<string, Resource>();
  const clients = new Map<string, OAuthClient>();
  for (const entry of entries.filter((one) => one.kind === 'OAuthClient')) {
    const client = declareClient(children, entry);
    clients.set(entry.address, client);
    made.set(entry.address, client);
  }
  for (const entry of entries.filter((one) => one.kind === 'ProjectAttachment')) {
    // The projects of a client that lists them are part of the client.
    if (sets.some((set) => isIn(set, entry))) continue;
    const { oauthClientId, projectId } = entry.inputs;
    const client = isReference(oauthClientId)
      ? clients.get(oauthClientId.address)?.id
      : textOf(oauthClientId);
    const args = { oauthClientId: client ?? '', projectId: textOf(projectId) };
    made.set(
      entry.address,
      new ProjectAttachment(children.nameOf(entry.address), args, optionsOf(children, entry.address)),
    );
  }
  for (const set of sets.filter((one) => one.kind === 'RunTrigger')) {
    const [address, resource] = declareSet(children, set);
    made.set(address, resource);
  }
  for (const entry of entries.filter((one) => one.kind === 'RunTrigger')) {
    if (sets.some((set) => isIn(set, entry))) continue;
    const { workspaceId, sourceableId } = entry.inputs;
    const args = { workspaceId: textOf(workspaceId), sourceableId: textOf(sourceableId) };
    made.set(
      entry.address,
      new RunTrigger(children.nameOf(entry.address), args, optionsOf(children, entry.address)),
    );
  }
  return made;
}

function declareClient(children: Children, entry: DesiredEntry): OAuthClient {
  const { organization } = children;
  const own = organization.sets.find(
    (set) => set.kind === 'ProjectAttachment' && addressIn(set.fixed.oauthClientId) === entry.address,
  );
  const projects = organization.entries
    .filter((one) => own !== undefined && isIn(own, one))
    .map((one) => textOf(one.inputs.projectId));
  const approval = organization.approved.find(
    (line) => line.action === 'replace' && line.address === entry.address,
  );
  const fields = Object.fromEntries(
    Object.entries(entry.inputs).map(([name, value]) => [name, isReference(value) ? undefined : value]),
  );
  const secrets = Object.fromEntries(
    Object.entries(entry.secrets).map(([field, source]) => [
      field,
      asSecret(children.secret(entry.address, field, source)),
    ]),
  );
  const args = {
    ...fields,
    ...secrets,
    organization: organization.organization,
    ...(own === undefined ? {} : { projectIds: projects }),
    ...(entry.id === undefined ? {} : { adoptId: entry.id }),
    ...(entry.allowDuplicate ? { allowDuplicate: true } : {}),
    ...(approval !== undefined && !entry.protect ? { replaceApproved: approval.id } : {}),
  };
  // The manifest was validated: every required field is there.
  return new OAuthClient(
    children.nameOf(entry.address),
    args as typeof args & OAuthClientArgs,
    optionsOf(children, entry.address),
  );
}

function declareSet(children: Children, set: ExactSet): readonly [string, Resource] {
  const { organization } = children;
  const kind = 'workspaceId' in set.fixed ? inboundSet : outboundSet;
  const fixed = textOf(set.fixed[kind.fixed]);
  const members = organization.entries
    .filter((entry) => isIn(set, entry))
    .map((entry) => textOf(entry.inputs[kind.member]));
  const alias = Object.entries(organization.aliases.workspaces).find(([, id]) => id === fixed)?.[0];
  const address = `${kind.kind}/${alias ?? fixed}`;
  const name = children.nameOf(address);
  const opts = optionsOf(children, address);
  return [
    address,
    kind === inboundSet
      ? new InboundRunTriggers(name, { workspaceId: fixed, sourceableIds: members }, opts)
      : new OutboundRunTriggers(name, { sourceableId: fixed, workspaceIds: members }, opts),
  ];
}

function optionsOf({ parent, aliasesOf }: Children, address: string): CustomResourceOptions {
  return { parent, aliases: aliasesOf(address) };
}

/** Whether the set speaks of this link. */
function isIn(set: ExactSet, entry: DesiredEntry): boolean {
  return set.kind === entry.kind && matches(set.fixed, entry.inputs);
}

function matches(fixed: DesiredValues, inputs: DesiredValues): boolean {
  return Object.entries(fixed).every(([field, value]) => {
    const given = inputs[field];
    return (addressIn(value) ?? value) === (addressIn(given) ?? given);
  });
}

function addressIn(value: FieldValue | Reference | undefined): string | undefined {
  return isReference(value) ? value.address : undefined;
}

function textOf(value: FieldValue | Reference | undefined): string {
  return typeof value === 'string' ? value : '';
}
