/**
 * Reads a profile: the service providers, and the abilities that are not in the API text. `resources/profile.ts` reads the same files on
 * purpose: the service shares no code with the product. `test/resources/profile.test.ts` ties both types to the schema.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceError } from './machine';
import type { AttributeName } from './oauth-client-attributes';
import { readSource } from './source-document';

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

/** Reads a profile by its name or file. Throws a ServiceError. */
export function readServiceProfile(nameOrFile: string): Profile {
  const builtIn = path.join(packageRoot, 'profiles', `${nameOrFile}.json`);
  const file = existsSync(builtIn) ? builtIn : nameOrFile;
  if (!existsSync(file)) throw new ServiceError(`There is no profile "${file}", nor a file of that name.`);
  const schema = readFileSync(path.join(packageRoot, 'profiles', 'profile.schema.json'), 'utf8');
  return readSource(readFileSync(file, 'utf8'), file).checkedBy<Profile>(JSON.parse(schema));
}
