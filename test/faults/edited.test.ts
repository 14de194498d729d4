/** An apply is killed, the manifest changes, and the next apply makes what is wanted by then: it deletes what a line approves, and nothing else. */
import assert from 'node:assert/strict';
import { acmeLinks, acmeManifest } from '../support/acme';
import { CourseWorld, deletesOf, playing } from './course-world';
import { courses, gitlabEntry, githubEntry as withTwin } from './courses';
import type { FaultAt } from './tap';

const second = 'git-secret-second';
const githubEntry = withTwin.replace('    allowDuplicate: [oc-twin]\n', '');

const manifestOf = (github: string, gitlab: string, links = acmeLinks) =>
  acmeManifest({ clients: `oauthClients:\n${github}${gitlab}`, links });
const moved = (entry: string, url: string) => entry.replace(/httpUrl: .*/, `httpUrl: ${url}`);

interface Edit {
  /** The course's own where left out. */
  readonly manifest?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const edits: Readonly<Record<string, Readonly<Record<string, Edit>>>> = {
  'a first apply': {
    'a field that changes in place': {
      manifest: manifestOf(withTwin, gitlabEntry.replace('name: GitLab', 'name: Lab')),
    },
    'a field that only a replacement changes': {
      manifest: manifestOf(withTwin, moved(gitlabEntry, 'https://lab2.example.com')),
    },
    'a secret': { manifest: manifestOf(withTwin, gitlabEntry), env: { GIT_SECRET: second } },
    'a client, which is not wanted any more': { manifest: manifestOf(withTwin, '') },
    'an address': { manifest: manifestOf(withTwin, gitlabEntry.replace('gitlab:', 'lab:')) },
  },
  'an update': {
    'the secret back again': { env: { GIT_SECRET: 'git-secret-value' } },
  },
  'a replacement': {
    'the same field once more': {
      manifest: manifestOf(moved(githubEntry, 'https://newer.example.com'), gitlabEntry),
    },
    'the same field back again': { manifest: manifestOf(withTwin, gitlabEntry) },
    'a field that changes in place': {
      manifest: manifestOf(
        moved(githubEntry, 'https://new.example.com').replace('agentPool: dmz', 'agentPool: lab'),
        gitlabEntry,
      ),
    },
    'the client, which is not wanted any more': {
      manifest: manifestOf('', gitlabEntry, 'runTriggers:\n  - { target: docs, source: app }\n'),
    },
  },
};

for (const [name, changes] of Object.entries(edits)) {
  describe(`${name}, killed and followed by an edit`, () => {
    let played: CourseWorld;
    before(async () => {
      const course = courses.find((one) => one.name === name);
      assert.ok(course);
      played = await CourseWorld.open({ ...course, options: { maxDeletes: 9 } });
    });
    after(() => played.close());

    for (const [what, { manifest, env }] of Object.entries(changes)) {
      it(`ends in what is wanted by then: ${what}`, async () => {
        const settle = async (...faults: readonly FaultAt[]): Promise<readonly string[]> => {
          played.reset();
          await played.run(...faults);
          if (manifest !== undefined) played.world.write(manifest);
          Object.assign(played.world.env, env);
          const approved = await played.finish({ approving: true });
          const isApproved = (url: string) =>
            played.undisturbed.deletes.has(url) || approved.some((line) => line.includes(idIn(url)));
          const clients = [...deletesOf(played.world)].filter((url) => url.includes('/oauth-clients/'));
          const wrong = clients.filter((url) => !isApproved(url));
          assert.deepEqual(wrong, [], 'deleted, and nothing approved it');
          return truthWithoutDigests(await played.truth({ withoutIds: true }));
        };
        const truth = await settle();
        for (const [index, moment] of played.undisturbed.moments.entries()) {
          for (const kill of ['before', 'after'] as const) {
            await playing(`${kill} ${index} (${moment.name})`, async () => {
              assert.deepEqual(await settle({ index, fault: { kill } }), truth);
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

/** A client that takes its old place again has lost the digests of secrets that cannot be read. */
function truthWithoutDigests(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/,"written":.*(?=\}$)/, '')).sort();
}
