/** The Pulumi program of README.md declares what the text says. test/docs runs the other blocks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredBy } from '../support/pulumi-program';
import { mistakesOf, programOf } from '../support/typescript-program';

const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');
const [, program = ''] = /^```ts\n(.*?)^```$/msu.exec(readme) ?? [];

describe('the Pulumi program of the README', () => {
  it('declares a protected client, an attachment and an exact set', async () => {
    assert.deepEqual(mistakesOf(program), []);
    const declared = await declaredBy(async () => void (await programOf(program)()), {
      'shop:gitToken': 'token',
    });
    const kinds = [...declared].map(([name, { kind }]) => `${kind} ${name}`);
    assert.deepEqual(kinds.sort(), [
      'InboundRunTriggers app',
      'OAuthClient github',
      'ProjectAttachment payments',
    ]);
    assert.equal(declared.get('github')?.options.protect, true);
  });
});
