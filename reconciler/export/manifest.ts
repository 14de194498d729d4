/** What exists as one manifest, which `apply` adopts without a change. Pure. */
import { writeManifest } from '../../manifest/write';
import { counted } from '../render/report';
import type { ClientDraft } from './drafts';
import type { Existing } from './existing';

export function manifestOf(existing: Existing, clients: readonly ClientDraft[], profileName: string): string {
  const { organization, triggers, names } = existing;
  const counts = `${counted(clients.length, 'OAuth client')}, ${counted(triggers.length, 'run trigger')}`;
  return writeManifest({
    organization,
    profileName,
    comment: `Exported from ${organization}: ${counts}.`,
    aliasOf: names,
    entries: [
      ...clients.map(({ name, id, inputs }) => {
        return { kind: 'OAuthClient', address: `OAuthClient/${name}`, id, inputs };
      }),
      ...triggers.map(({ workspaceId, sourceableId }) => {
        const address = `RunTrigger/${workspaceId}/${sourceableId}`;
        return { kind: 'RunTrigger', address, inputs: { workspaceId, sourceableId } };
      }),
    ],
  });
}
