// Every mistake of a seed at once: those of form and those of what it refers to, each at its place.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createService } from '../../service';
import { temporaryFolder } from '../support/temporary-folder';

const provider = 'serviceProvider: provider_a, httpUrl: https://x.example, apiUrl: https://x.example';

describe('the mistakes of a seed', () => {
  const folder = temporaryFolder();

  /** Lines and first words of what is said; the text is written to a file first. */
  async function told(text: string, profile = 'default'): Promise<readonly string[]> {
    const file = path.join(folder(), 'seed.yaml');
    writeFileSync(file, text);
    const failure = await createService({ seed: file, profile }).then(
      async (service) => {
        await service.close();
        return undefined;
      },
      (error: Error) => error,
    );
    return (failure?.message ?? '')
      .split('\n')
      .map((line) =>
        line.replace(`${file}:`, '').replace(/: (must|not among|already|unknown|no|is new) .*$/, ' $1'),
      );
  }

  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    [
      'of form and of reference, in the order of the text',
      [
        'organizations:',
        '  acme:',
        '    colour: red',
        '    workspaces:',
        '      ws-a: { project: prj-x }',
        '    oauthClients:',
        `      oc-1: { ${provider.replace('provider_a', 'nope')} }`,
        '      oc-2: { serviceProvider: provider_a, apiUrl: https://x.example }',
        'tokens: { canary: { acme: onwer, amce: owner }, other: { amce: owner } }',
      ],
      [
        '3:5: /organizations/acme/colour unknown',
        '5:24: /organizations/acme/workspaces/ws-a/project no',
        '7:32: /organizations/acme/oauthClients/oc-1/serviceProvider not among',
        '8:13: /organizations/acme/oauthClients/oc-2 is new',
        '9:27: /tokens/(token)/acme must',
        '9:64: /tokens/(token)/amce no',
      ],
    ],
    [
      'without complaining of what refers to something that is only wrong in form',
      [
        'organizations:',
        '  acme:',
        '    workspaces: { ws-a: { name: 5 }, ws-b: { oauthClient: oc-1 } }',
        '    oauthClients: { oc-1: { name: x } }',
        '    runTriggers: { rt-1: { workspace: ws-a, sourceable: ws-z }, rt-2: { workspace: ws-a } }',
      ],
      [
        '3:33: /organizations/acme/workspaces/ws-a/name must',
        '4:27: /organizations/acme/oauthClients/oc-1 is new',
        '5:57: /organizations/acme/runTriggers/rt-1/sourceable no',
        '5:71: /organizations/acme/runTriggers/rt-2 is new',
      ],
    ],
    [
      'of form alone where the names of places are wrong',
      [
        'organizations:',
        '  acme:',
        '    workspaces: { wx-a: {} }',
        '    runTriggers: { rt-1: { workspace: wx-a, sourceable: ws-z } }',
      ],
      ['3:19: /organizations/acme/workspaces/wx-a must'],
    ],
    [
      'of form alone where a whole table is wrong',
      ['organizations:', '  acme:', '    workspaces: 5', 'tokens: { t: { amce: owner } }'],
      ['3:17: /organizations/acme/workspaces must'],
    ],
    ['of form alone where it is no seed at all', ['- a'], ['1:1 must']],
    [
      'whatever an id is called',
      ['organizations: { acme: { oauthClients: { oc/x~y: {} } } }', 'tokens: { t: { amce: owner } }'],
      ['1:42: /organizations/acme/oauthClients/oc/x~y must', '2:22: /tokens/(token)/amce no'],
    ],
  ];
  for (const [what, text, expected] of rows) {
    it(`are told at once, ${what}`, async () => {
      const all = await told(`${text.join('\n')}\n`);
      assert.deepEqual(all, expected);
      assert.doesNotMatch(all.join('\n'), /canary/);
    });
  }

  it('are told beside a profile that cannot be used', async () => {
    const all = await told('organizations: { acme: { colour: red } }\n', 'nope');
    assert.equal(all.length, 2);
    assert.match(all[0] ?? '', /^nope/);
    assert.equal(all[1], '1:26: /organizations/acme/colour unknown');
  });
});
