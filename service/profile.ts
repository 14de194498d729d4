// Reads a profile: the service providers, and what the service can do beyond the API text.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AttributeName } from './oauth-client-attributes';
import { readSourceFile } from './source-document';

/** What one `service-provider` value needs; absent lists mean no such rule. */
export interface ServiceProvider {
  displayName: string;
  needs?: AttributeName[];
  neverEmpty?: AttributeName[];
  together?: AttributeName[][];
}

export interface Profile {
  name: string;
  serviceProviders: Record<string, ServiceProvider>;
  limits: { maxSources: number | null; requestsPerSecond: number };
  capabilities: {
    tokenInPatch: boolean;
    affectedWorkspaces: boolean;
    lookupByName: boolean;
    includeOnOutbound: boolean;
    foreignProjects: 'refused' | 'dropped';
  };
}

const packageRoot = path.resolve(__dirname, '..', '..');

// Shipped profiles do not change, and tests start thousands of services with them.
const shipped = new Map<string, Profile>();

/** Reads the profile of that name, or in that file. Throws a ServiceError. */
export function readProfile(nameOrFile: string): Profile {
  const file = path.join(packageRoot, 'profiles', `${nameOrFile}.json`);
  const isShipped = /^[a-z0-9][a-z0-9-]*$/.test(nameOrFile) && existsSync(file);
  if (!isShipped) return readProfileFile(nameOrFile);
  const profile = shipped.get(nameOrFile) ?? readProfileFile(file);
  shipped.set(nameOrFile, profile);
  return profile;
}

function readProfileFile(file: string): Profile {
  const document = readSourceFile(file, 'no profile of this name, nor a file that can be read');
  const schema = readFileSync(path.join(packageRoot, 'schemas', 'profile.schema.json'), 'utf8');
  return document.checkedBy<Profile>(JSON.parse(schema));
}
