/** The page about Pulumi: its program compiles as it stands, and declares what the text says. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/pulumi-engine';
import { declaredBy } from '../support/pulumi-program';
import { mistakesOf, programOf } from '../support/typescript-program';

const page = readFileSync(join(root, 'docs/pulumi.md'), 'utf8');
const program = [...page.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, block]) => block).join('');

describe('the page about Pulumi', () => {
  it('has a program that compiles', () => {
    assert.deepEqual(mistakesOf(program), []);
  });

  it('has a program that declares every class', async () => {
    const config = {
      'shop:githubToken': 'token',
      'shop:legacyId': 'oc-1',
      'shop:partnerAddress': 'https://b.example.com',
    };
    const declared = await declaredBy(async () => void (await programOf(program)()), config);
    const kinds = new Set([...declared.values()].map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), [
      'InboundRunTriggers',
      'OAuthClient',
      'OutboundRunTriggers',
      'ProjectAttachment',
      'RunTrigger',
      'pulumi-nodejs',
    ]);
    assert.equal(declared.get('github')?.options.protect, true);
  });
});
