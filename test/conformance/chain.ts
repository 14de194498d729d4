/** A made-up fourth kind, as CONTRIBUTING.md tells to add one: all of it is in this file. */

import type { RunTriggerDocument } from '../../client/api';
import { Conflict, Invalid } from '../../client/errors';
import type { Found, ResourceDefinition } from '../../resources/kind';
import { triggersOf } from '../../resources/run-trigger';

function chainFound(document: RunTriggerDocument): Found {
  return {
    id: document.id,
    values: { downstreamId: document.workspaceId, upstreamId: document.sourceableId },
    outputs: { createdAt: document.createdAt },
  };
}

export const chain: ResourceDefinition = {
  kind: 'Chain',
  doc: 'Runs of the upstream workspace start runs downstream.',
  idPrefix: 'rt',
  section: {
    name: 'chains',
    form: 'links',
    ends: [
      { field: 'downstreamId', singular: 'downstream', plural: 'downstreams' },
      { field: 'upstreamId', singular: 'upstream', plural: 'upstreams' },
    ],
  },
  fields: {
    downstreamId: {
      type: 'string',
      doc: 'Where runs start.',
      onChange: 'replace',
      required: true,
      refersTo: 'workspace',
      manifestName: 'downstream',
    },
    upstreamId: {
      type: 'string',
      doc: 'Whose runs start them.',
      onChange: 'replace',
      required: true,
      refersTo: 'workspace',
      manifestName: 'upstream',
    },
  },
  outputs: { createdAt: { type: 'string', doc: 'When it was made.' } },
  pair: ['downstreamId', 'upstreamId'],
  listedIn: (key) => [
    ...(key.downstreamId === undefined ? [] : [triggersOf(key.downstreamId, 'inbound')]),
    ...(key.upstreamId === undefined ? [] : [triggersOf(key.upstreamId, 'outbound')]),
  ],
  find: (triggers: readonly RunTriggerDocument[], key) =>
    triggers
      .map(chainFound)
      .filter((found) =>
        [key.downstreamId ?? found.values.downstreamId].includes(String(found.values.downstreamId)),
      )
      .filter((found) =>
        [key.upstreamId ?? found.values.upstreamId].includes(String(found.values.upstreamId)),
      ),
  read: async (api, id) => chainFound(await api.runTriggers.read(id)),
  create: async (api, key) => {
    try {
      return chainFound(await api.runTriggers.create(key.downstreamId ?? '', key.upstreamId ?? ''));
    } catch (error) {
      if (!(error instanceof Conflict) && !(error instanceof Invalid)) throw error;
      const there = (await api.runTriggers.list(key.downstreamId ?? '', 'inbound')).find(
        (one) => one.sourceableId === key.upstreamId,
      );
      if (there === undefined) throw error;
      return chainFound(there);
    }
  },
  delete: (api, id) => api.runTriggers.delete(id),
};
