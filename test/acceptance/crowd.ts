/** An organization full of other people's objects, whose names and ends come as near to the suite's as they can. */

import { githubFields, seedClient } from '../support/acme';
import type { Organization } from './acceptance-world';

const otherWorkspaces = Object.fromEntries(
  Array.from({ length: 205 }, (_, index) => [`ws-other-${index}`, { name: `service-${index}` }]),
);

/** Names that differ from those of the suite by a letter, and one that a person could choose. */
const similarNames = [
  'tether-acceptance',
  'Tether-Acceptance-1',
  'tether-acceptances',
  'my-tether-acceptance-x',
];

function clientLike(name: string | null, more: object = {}) {
  return seedClient({ ...githubFields, name, serviceProvider: 'github', ...more });
}

/** The service must have the profile `hcp-terraform`. */
export const crowd: Organization = {
  agentPools: { 'apool-other': { name: 'other' } },
  projects: {
    'prj-other': { name: 'other' },
    'prj-like': { name: 'tether-acceptance-a2' },
    'prj-upper': { name: 'Tether-Acceptance-A' },
  },
  workspaces: {
    ...otherWorkspaces,
    'ws-like-1': { name: 'tether-acceptance-10', oauthClient: 'oc-used' },
    'ws-like-2': { name: 'tether-acceptance-1-old', oauthClient: 'oc-used' },
    'ws-like-3': { name: 'x-tether-acceptance-2' },
  },
  oauthClients: {
    'oc-used': clientLike('GitHub', {
      projects: ['prj-acc-a', 'prj-acc-b', 'prj-other'],
      agentPool: 'apool-dmz',
    }),
    'oc-unnamed': clientLike(null, { projects: ['prj-acc-a'] }),
    ...Object.fromEntries(
      similarNames.map((name, index) => [`oc-like-${index}`, clientLike(name, { projects: ['prj-acc-b'] })]),
    ),
  },
  runTriggers: {
    'rt-like-1': { workspace: 'ws-like-1', sourceable: 'ws-like-2' },
    'rt-like-2': { workspace: 'ws-like-3', sourceable: 'ws-like-1' },
    ...Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `rt-other-${index}`,
        { workspace: `ws-other-${index}`, sourceable: `ws-other-${index + 1}` },
      ]),
    ),
  },
};
