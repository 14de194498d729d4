/** The exact bytes of every operation on run triggers. */
import { client, proves, type WireCase } from '../support/exact-wire';
import { offline } from '../support/offline';
import { pageDocument, runTriggerDocument, runTriggerResource } from '../support/wire-documents';

const cases: readonly WireCase[] = [
  {
    name: 'creates a run trigger with nothing but its source',
    call: () => client.runTriggers.create('ws-app', 'ws-network'),
    status: 201,
    document: { data: runTriggerResource('rt-1') },
    method: 'POST',
    path: '/api/v2/workspaces/ws-app/run-triggers',
    body: { data: { relationships: { sourceable: { data: { id: 'ws-network', type: 'workspaces' } } } } },
    result: runTriggerDocument('rt-1'),
  },
  {
    name: 'lists inbound run triggers with the brackets encoded',
    call: () => client.runTriggers.list('ws-app', 'inbound'),
    status: 200,
    document: pageDocument([runTriggerResource('rt-1'), runTriggerResource('rt-2', 'ws-app', 'ws-dns')]),
    method: 'GET',
    path: '/api/v2/workspaces/ws-app/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound&page%5Bnumber%5D=1&page%5Bsize%5D=100',
    result: [runTriggerDocument('rt-1'), runTriggerDocument('rt-2', 'ws-app', 'ws-dns')],
  },
  {
    name: 'reads a run trigger',
    call: () => client.runTriggers.read('rt-1'),
    status: 200,
    document: { data: runTriggerResource('rt-1') },
    method: 'GET',
    path: '/api/v2/run-triggers/rt-1',
    result: runTriggerDocument('rt-1'),
  },
  {
    name: 'deletes a run trigger',
    call: () => client.runTriggers.delete('rt-1'),
    status: 204,
    method: 'DELETE',
    path: '/api/v2/run-triggers/rt-1',
    result: undefined,
  },
];

describe('run triggers on the wire', () => {
  offline();

  for (const exchange of cases) proves(exchange);
});
