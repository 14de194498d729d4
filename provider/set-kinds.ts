/** The two kinds of sets: all triggers into one workspace, and all triggers out of one. */

import type { Field, Key, ListRef } from '../resources/kind';
import { definitionOf } from '../resources/registry';

const trigger = definitionOf('RunTrigger');

export interface SetKind {
  readonly kind: string;
  readonly doc: string;
  /** The end that is the same for all members. */
  readonly fixed: 'workspaceId' | 'sourceableId';
  /** The input that lists the other ends, and the field of a trigger each of them is. */
  readonly members: 'sourceableIds' | 'workspaceIds';
  readonly member: 'sourceableId' | 'workspaceId';
  readonly direction: 'inbound' | 'outbound';
  /** For people. */
  readonly noun: string;
  /** Whether the profile's limit on sources is about the members. */
  readonly limited: boolean;
  /** The lists in which a trigger shows. */
  listedIn(key: Key): readonly ListRef[];
}

/** "Exactly these may trigger the workspace." */
export const inboundSet: SetKind = {
  kind: 'InboundRunTriggers',
  doc: 'Exactly these workspaces trigger runs in the target workspace.',
  fixed: 'workspaceId',
  members: 'sourceableIds',
  member: 'sourceableId',
  direction: 'inbound',
  noun: 'inbound triggers',
  limited: true,
  listedIn: (key) => trigger.listedIn(key),
};

/** "Exactly these are triggered by the workspace." */
export const outboundSet: SetKind = {
  kind: 'OutboundRunTriggers',
  doc: 'Exactly these workspaces are triggered by runs of the source workspace.',
  fixed: 'sourceableId',
  members: 'workspaceIds',
  member: 'workspaceId',
  direction: 'outbound',
  noun: 'outbound triggers',
  limited: false,
  listedIn: (key) => trigger.listedIn(key),
};

/** The fields of a set: the fixed end, which replaces, and the list, which is changed in place. */
export function setFields(kind: SetKind): Readonly<Record<string, Field>> {
  const doc =
    kind.direction === 'inbound'
      ? 'Source workspaces: exactly these trigger the target. An empty list means none.'
      : 'Target workspaces: exactly these are triggered by the source. An empty list means none.';
  const fixed = Object.entries(trigger.fields).filter(([name]) => name === kind.fixed);
  return {
    ...Object.fromEntries(fixed),
    [kind.members]: { type: 'set', doc, onChange: 'update', required: true, refersTo: 'workspace' },
  };
}
