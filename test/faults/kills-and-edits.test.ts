/** An apply is killed, and the manifest changes. The next apply makes what the manifest says then, and deletes only what a line approves. */
import assert from 'node:assert/strict';
import { acmeLinks, acmeManifest } from '../support/acme';
import { applyCases, githubEntry as githubBesideTwin, gitlabEntry } from './apply-cases';
import type { PlacedFault } from './fault-injector';
import { FaultWorld, labelled, listDeletes } from './fault-world';

const githubEntry = githubBesideTwin.replace('    allowDuplicate: [oc-twin]\n', '');

const writeManifest = (github: string, gitlab: string, links = acmeLinks) =>
  acmeManifest({ clients: `oauthClients:\n${github}${gitlab}`, links });
const withUrl = (entry: string, url: string) => entry.replace(/httpUrl: .*/, `httpUrl: ${url}`);

interface Edit {
  /** The default is the manifest of the case. */
  readonly manifest?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const edits: Readonly<Partial<Record<keyof typeof applyCases, Readonly<Record<string, Edit>>>>> = {
  'a first apply': {
    'a field that changes in place': {
      manifest: writeManifest(githubBesideTwin, gitlabEntry.replace('name: GitLab', 'name: Lab')),
    },
    'a field that only a replacement changes': {
      manifest: writeManifest(githubBesideTwin, withUrl(gitlabEntry, 'https://lab2.example.com')),
    },
    'a secret': {
      manifest: writeManifest(githubBesideTwin, gitlabEntry),
      env: { GIT_SECRET: 'git-secret-second' },
    },
    'a client, which is not wanted any more': { manifest: writeManifest(githubBesideTwin, '') },
    'an address': { manifest: writeManifest(githubBesideTwin, gitlabEntry.replace('gitlab:', 'lab:')) },
  },
  'an update': {
    'the secret back again': { env: { GIT_SECRET: 'git-secret-value' } },
  },
  'a replacement': {
    'the same field once more': {
      manifest: writeManifest(withUrl(githubEntry, 'https://newer.example.com'), gitlabEntry),
    },
    'the same field back again': { manifest: writeManifest(githubBesideTwin, gitlabEntry) },
    'a field that changes in place': {
      manifest: writeManifest(
        withUrl(githubEntry, 'https://new.example.com').replace('agentPool: dmz', 'agentPool: lab'),
        gitlabEntry,
      ),
    },
    'the client, which is not wanted any more': {
      manifest: writeManifest('', gitlabEntry, 'runTriggers:\n  - { target: docs, source: app }\n'),
    },
  },
};

for (const [name, changes] of Object.entries(edits)) {
  describe(`${name}, killed and followed by an edit`, () => {
    let faults: FaultWorld;
    before(async () => {
      const { prepare } = applyCases[name as keyof typeof applyCases];
      faults = await FaultWorld.open({ prepare, options: { maxDeletes: 9 } });
    });
    after(() => faults.close());

    for (const [what, { manifest, env }] of Object.entries(changes)) {
      it(`ends in the state that the edited manifest wants: ${what}`, async () => {
        const settle = async (...placedFaults: readonly PlacedFault[]): Promise<readonly string[]> => {
          faults.reset();
          await faults.run(...placedFaults);
          if (manifest !== undefined) faults.world.write(manifest);
          Object.assign(faults.world.env, env);
          const approved = await faults.finish({ approving: true });
          const isApproved = (url: string) =>
            faults.faultless.deletes.has(url) || approved.some((line) => line.includes(idIn(url)));
          const clients = [...listDeletes(faults.world)].filter((url) => url.includes('/oauth-clients/'));
          const wrongDeletes = clients.filter((url) => !isApproved(url));
          assert.deepEqual(wrongDeletes, [], 'deleted without an approval');
          return withoutSecrets(await faults.describeState({ withoutIds: true }));
        };
        const finalState = await settle();
        for (const [index, point] of faults.faultless.writePoints.entries()) {
          for (const kill of ['before', 'after'] as const) {
            await labelled(`${kill} ${index} (${point.name})`, async () => {
              assert.deepEqual(await settle({ at: index, fault: { kill } }), finalState);
            });
          }
        }
      });
    }
  });
}

function idIn(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Removes the secrets, because a client that takes its old place again has lost the digests of its secrets. */
function withoutSecrets(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/,"secretVariables":.*(?=\}$)/, '')).sort();
}
