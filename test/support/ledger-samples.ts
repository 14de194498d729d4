/** Ledger content for tests, small and complete. */
import type { JournalRecord, JournalStart, Ledger, LedgerObject } from '../../reconciler/ledger/ledger';

export const at = '2026-01-31T10:00:00.000Z';

/** Looks like a digest; matches nothing. */
const someDigest = `scrypt:16384:8:1:${'A'.repeat(22)}:${'B'.repeat(43)}`;

export function clientObject(id: string, members: Partial<LedgerObject> = {}): LedgerObject {
  return {
    kind: 'OAuthClient',
    id,
    file: 'acme.tether.yaml',
    values: { name: 'GitHub', organizationScoped: false },
    digests: { oauthTokenString: someDigest },
    protect: false,
    ...members,
  };
}

export function attachmentObject(clientId: string, projectId: string): LedgerObject {
  return {
    kind: 'ProjectAttachment',
    id: `${clientId}/${projectId}`,
    file: 'acme.tether.yaml',
    values: { oauthClientId: clientId, projectId },
    digests: {},
    protect: false,
  };
}

/** A ledger of acme with these members. */
export function ledgerOf(members: Partial<Ledger> = {}): Ledger {
  return {
    version: 1,
    organization: 'acme',
    lineage: 'lineage-1',
    serial: 3,
    objects: {},
    pending: {},
    tombstones: [],
    ...members,
  };
}

/** A client, one attachment, an unfinished create and a tombstone. */
export const fullLedger = ledgerOf({
  objects: {
    'OAuthClient/github': clientObject('oc-1'),
    'ProjectAttachment/oc-1/prj-1': attachmentObject('oc-1', 'prj-1'),
  },
  pending: { 'OAuthClient/new': { kind: 'OAuthClient', nonce: 'tether-pending-a-b', hash: 'scrypt:x' } },
  tombstones: [
    { kind: 'OAuthClient', address: 'OAuthClient/github', nonce: 'tether-pending-c-d', since: at },
  ],
});

/** How a journal that goes on from such a ledger begins. */
export function startOf(members: Partial<JournalStart> = {}): JournalStart {
  return { id: 'j-1', organization: 'acme', lineage: 'lineage-1', serial: 3, ...members };
}

export function recordOf(key: string, object: LedgerObject): JournalRecord {
  return { at, event: 'object', key, object };
}
