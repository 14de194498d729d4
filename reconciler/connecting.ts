/** Whether an object waits for a person to log in to its VCS provider. */
import type { FieldValues } from '../resources/values';

/** What that person does, without a full stop; null where nobody is waited for. */
export function personNeeded({ oauthTokenIds, connectPath }: FieldValues): string | null {
  const connected = !Array.isArray(oauthTokenIds) || oauthTokenIds.length > 0;
  if (connected || typeof connectPath !== 'string') return null;
  return `waits for a person: open ${connectPath} to finish connecting`;
}
