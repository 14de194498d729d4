/** What a plan was made from, in a form that can be compared with another time. */
import { createHash } from 'node:crypto';
import type { Manifests } from '../manifest/desired';
import type { Ledger } from './ledger/ledger';
import type { Plan } from './plan/plan';

/** What a plan was made from. */
export interface PlanSource {
  readonly plan: Plan;
  readonly manifests: Manifests;
  readonly ledger: Ledger | null;
  /** Base URL of the service. */
  readonly address: string;
  readonly now: Date;
}

/** All that decides what a plan says, besides what exists. */
export interface Circumstances {
  readonly address: string;
  readonly manifests: readonly { readonly file: string; readonly sha256: string }[];
  /** By organization: its profile's name and what it says. */
  readonly profiles: Readonly<Record<string, { readonly name: string; readonly sha256: string }>>;
  /** By organization; null with `--ledger none`. */
  readonly ledger: Readonly<Record<string, { readonly lineage: string; readonly serial: number }>> | null;
}

/** Collects them. */
export function circumstancesOf({ manifests, ledger, address }: PlanSource): Circumstances {
  return {
    address,
    manifests: manifests.files.map(({ file, sha256 }) => ({ file, sha256 })),
    profiles: Object.fromEntries(
      manifests.organizations.map(({ organization, profileName, profile }) => [
        organization,
        { name: profileName, sha256: sha256(JSON.stringify(profile)) },
      ]),
    ),
    ledger:
      ledger === null
        ? null
        : Object.fromEntries(
            Object.entries(ledger.organizations).map(([name, { lineage, serial }]) => [
              name,
              { lineage, serial },
            ]),
          ),
  };
}

/** Hex digest of a text. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
