/** What Pulumi programs can declare: every kind of the registry, and exact sets of run triggers. */
import type { Field, Output, ResourceDefinition } from '../resources/kind';
import { oauthClient } from '../resources/oauth-client';
import { registry } from '../resources/registry';
import { runTrigger } from '../resources/run-trigger';

/** An input that is no field of the kind. */
export interface OwnInput extends Pick<Field, 'doc' | 'refersTo'> {
  readonly type: 'string' | 'boolean';
  /** A change of it alone is recorded in the state, and else ignored. */
  readonly recorded?: true;
}

type OwnInputs = Readonly<Record<string, OwnInput>>;

export interface ResourceType {
  /** Name of its class, and the end of its type in every URN. */
  readonly kind: string;
  readonly doc: string;
  /** Of a set: the kind of its members. */
  readonly definition: ResourceDefinition;
  readonly fields: Readonly<Record<string, Field>>;
  readonly own: OwnInputs;
  readonly outputs: Readonly<Record<string, Output>>;
}

/** Exactly these links around one object, as one resource. */
export interface SetType extends ResourceType {
  readonly direction: 'inbound' | 'outbound';
  /** The end that all members share, and the field of a member with its other end. */
  readonly fixed: string;
  readonly member: string;
  /** The input that lists the other ends. */
  readonly members: string;
}

export function isSetType(type: ResourceType): type is SetType {
  return 'members' in type;
}

const clientInputs: OwnInputs = {
  adoptId: {
    type: 'string',
    doc: 'Id of an existing client (`oc-…`) to take over instead of creating one. Dropping the resource later deletes it: set `retainOnDelete` to keep it.',
    refersTo: oauthClient.kind,
  },
  allowDuplicate: {
    type: 'boolean',
    doc: 'Create although another client with the same name, provider and URLs exists.',
  },
  deletionProtection: {
    type: 'boolean',
    doc: 'Whether destroying and replacing the client is refused, since it unlinks every workspace that uses it. True when left out.',
    recorded: true,
  },
};

const setInputs: OwnInputs = {
  removeUnmanaged: {
    type: 'boolean',
    doc: 'Create the set although triggers that it does not list exist, and delete those.',
  },
};

/** The inputs that a program may give. */
export function inputNames({ fields, own }: Pick<ResourceType, 'own'> & { readonly fields: object }) {
  return [...Object.keys(fields), ...Object.keys(own)];
}

/** The field of a link with the id of the object whose organization lists it. */
export function ownerField({ pair, fields }: ResourceDefinition): string | undefined {
  return pair.find((end) =>
    registry.some(({ kind, fields: { organization } }) => organization && kind === fields[end]?.refersTo),
  );
}

export function typeOfKind(definition: ResourceDefinition): ResourceType {
  const { kind, doc, fields, outputs, pair } = definition;
  const organization = { type: 'string', doc: 'Name of the organization that owns the client.' } as const;
  return {
    kind,
    doc,
    definition,
    fields,
    own: pair.length === 0 ? clientInputs : {},
    outputs: ownerField(definition) === undefined ? outputs : { ...outputs, organization },
  };
}

function setOf(
  given: Pick<SetType, 'kind' | 'direction' | 'fixed' | 'member' | 'doc'>,
  membersDoc: string,
): SetType {
  const { member } = given;
  const { [member]: one, ...end } = runTrigger.fields;
  const members = `${member}s`;
  return {
    ...given,
    members,
    definition: runTrigger,
    fields: { ...end, [members]: { ...one, type: 'set', doc: membersDoc, onChange: 'update' } },
    own: setInputs,
    outputs: {},
  };
}

export const inboundSet = setOf(
  {
    kind: 'InboundRunTriggers',
    doc: 'Exactly these workspaces trigger runs in the target workspace.',
    direction: 'inbound',
    fixed: 'workspaceId',
    member: 'sourceableId',
  },
  'Source workspaces: exactly these trigger the target. An empty list means none.',
);

export const outboundSet = setOf(
  {
    kind: 'OutboundRunTriggers',
    doc: 'Exactly these workspaces are triggered by runs of the source workspace.',
    direction: 'outbound',
    fixed: 'sourceableId',
    member: 'workspaceId',
  },
  'Target workspaces: exactly these are triggered by the source. An empty list means none.',
);

export const resourceTypes: readonly ResourceType[] = [...registry.map(typeOfKind), inboundSet, outboundSet];

export function resourceTypeOf(kind: string): ResourceType {
  const type = resourceTypes.find((one) => one.kind === kind);
  if (type === undefined) throw new Error(`there is no resource type ${kind}`);
  return type;
}
