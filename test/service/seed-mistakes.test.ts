// The mistakes of a seed: all those of form at once, then all those of what it means, each at its place.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createService } from '../../service';
import { readSource } from '../../service/source-document';
import { seedSchema } from '../../service/seed/seed';
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
      'of meaning, in the order of the text',
      [
        'organizations:',
        '  acme:',
        '    workspaces:',
        '      ws-a: { project: prj-x }',
        '    oauthClients:',
        `      oc-1: { ${provider.replace('provider_a', 'nope')} }`,
        '      oc-2: { serviceProvider: provider_a, apiUrl: https://x.example }',
        'tokens: { canary: { amce: owner }, other: { amce: owner } }',
      ],
      [
        '4:24: /organizations/acme/workspaces/ws-a/project no',
        '6:32: /organizations/acme/oauthClients/oc-1/serviceProvider not among',
        '7:13: /organizations/acme/oauthClients/oc-2 is new',
        '8:27: /tokens/(token)/amce no',
        '8:51: /tokens/(token)/amce no',
      ],
    ],
    [
      'of form first, in the order of the text',
      [
        'organizations:',
        '  acme:',
        '    colour: red',
        '    workspaces: { wx-a: {}, ws-b: { name: 5, oauthClient: oc-none } }',
        '    projects: 5',
        '    runTriggers: { rt-1: { workspace: wx-a } }',
        'tokens: { canary: { acme: onwer, amce: owner } }',
      ],
      [
        '3:5: /organizations/acme/colour unknown',
        '4:19: /organizations/acme/workspaces/wx-a must',
        '4:43: /organizations/acme/workspaces/ws-b/name must',
        '5:15: /organizations/acme/projects must',
        '7:27: /tokens/(token)/acme must',
      ],
    ],
    ['of form alone where it is no seed at all', ['- a'], ['1:1 must']],
    [
      'in flow style, with brackets no deeper than their keys',
      [
        'organizations: {',
        '  acme: {',
        '    colour: red, # not this one',
        '  }, other: { projects: 5',
        '}',
        '}',
        'tokens: { canary: { acme: onwer } }',
      ],
      [
        '3:5: /organizations/acme/colour unknown',
        '4:25: /organizations/other/projects must',
        '7:27: /tokens/(token)/acme must',
      ],
    ],
    [
      'of syntax behind such a bracket',
      ['organizations:', '  acme: { projects: {', '  }, colour: { a: 1 b: 2 }', '  }'],
      ['3:22: missed comma between flow collection entries'],
    ],
    [
      'and such a bracket too where a string has a line like it',
      ['organizations: {', '}', 'tokens: |', '  a', '  }'],
      ['2:1: deficient indentation'],
    ],
    [
      'of several documents where the second begins',
      ['organizations: {}', '# more', '---', 'tokens: {}', '---', 'tokens: {}'],
      ['3:1: expected one document, found several'],
    ],
    [
      'of several documents that all have a marker',
      ['---', 'organizations: {}', '...', '---', 'tokens: {}'],
      ['3:1: expected one document, found several'],
    ],
    [
      'whatever an id is called',
      ['organizations: { acme: { oauthClients: { oc/x~y: {} } } }', 'tokens: { t: { amce: owner } }'],
      ['1:42: /organizations/acme/oauthClients/oc/x~y must'],
    ],
  ];
  for (const [what, text, expected] of rows) {
    it(`are told at once, ${what}`, async () => {
      const all = await told(`${text.join('\n')}\n`);
      assert.deepEqual(all, expected);
      assert.doesNotMatch(all.join('\n'), /canary/);
    });
  }

  const quoted: readonly (readonly [string, string])[] = [
    ['tokens: { *canary : {} }', '1:12: unidentified alias ***'],
    ['tokens: !!int canary', '1:9: cannot resolve a node with *** explicit tag'],
    ['tokens: !"canary" {}', '1:18: tag name cannot contain such characters: ***'],
    ['tokens: !canary!x {}', '1:18: undeclared tag handle ***'],
    ['tokens: { canary: {}, canary: {} }', '1:23: duplicated mapping key'],
  ];
  for (const [text, expected] of quoted) {
    it(`are told without a token: ${text}`, async () => assert.deepEqual(await told(text), [expected]));
  }

  it('are found with the text read once, however many they are', () => {
    const names = Array.from({ length: 500 }, (_, index) => `org-${index}`);
    const text = ['organizations:', ...names.map((name) => `  ${name}: { colour: red }`)].join('\n');
    const { slice } = String.prototype;
    let characters = 0;
    String.prototype.slice = function counted(...range) {
      const part = slice.apply(this, range);
      characters += part.length;
      return part;
    };
    try {
      const told = /seed:2:12: .*seed:501:14: \/organizations\/org-499\/colour: unknown key$/s;
      assert.throws(() => readSource(text, 'seed').checkedBy(seedSchema), told);
    } finally {
      String.prototype.slice = slice;
    }
    assert.ok(characters < 10 * text.length, `${characters} characters for a text of ${text.length}`);
  });

  it('are told beside a profile that cannot be used', async () => {
    const all = await told('organizations: { acme: { colour: red } }\n', 'nope');
    assert.equal(all.length, 2);
    assert.match(all[0] ?? '', /^nope/);
    assert.equal(all[1], '1:26: /organizations/acme/colour unknown');
  });
});
