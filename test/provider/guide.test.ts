/** The Pulumi programs of README.md and docs/pulumi.md compile as they stand, and declare what the text says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/pulumi-engine';
import { declaredBy } from '../support/pulumi-program';
import { compileProgram, listMistakes } from '../support/typescript-program';

const ofReadme = ['InboundRunTriggers', 'OAuthClient', 'ProjectAttachment'];

describe('the Pulumi program', () => {
  for (const [page, expected] of [
    ['README.md', ofReadme],
    ['docs/pulumi.md', [...ofReadme, 'OutboundRunTriggers', 'RunTrigger', 'pulumi-nodejs']],
  ] as const)
    it(`of ${page} declares its classes, and protects the client`, async () => {
      const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gmsu);
      const program = [...blocks].map(([, block]) => block).join('');
      assert.deepEqual(listMistakes(program), []);
      const declared = await declaredBy(async () => void (await compileProgram(program)()), {
        'shop:gitToken': 'token',
        'shop:githubToken': 'token',
        'shop:legacyId': 'oc-1',
        'shop:partnerAddress': 'https://b.example.com',
      });
      const kinds = new Set([...declared.values()].map(({ kind }) => kind));
      assert.deepEqual([...kinds].sort(), [...expected].sort());
      assert.equal(declared.get('github')?.options.protect, true);
    });
});
