/** Whether an object waits for a person to log in to its VCS provider. */
import type { FieldValues } from '../resources/kind';

/** What that person does, without a full stop, at the service of this base URL; null where nobody is waited for. */
export function personNeeded({ oauthTokenIds, connectPath }: FieldValues, address: string): string | null {
  const connected = !Array.isArray(oauthTokenIds) || oauthTokenIds.length > 0;
  if (connected || typeof connectPath !== 'string') return null;
  return `waits for a person: open ${urlOf(connectPath, address)} to finish connecting`;
}

/** The path belongs to the service's host, beside the API; what is no path of it is left as the service says it. */
function urlOf(connectPath: string, address: string): string {
  const isPath = /^\/(?!\/)/.test(connectPath) && URL.canParse(connectPath, address);
  return isPath ? new URL(connectPath, address).href : connectPath;
}
