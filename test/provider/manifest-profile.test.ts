/** A manifest and its provider are of one profile: who names it, and what is said when they differ. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, type ProviderResource } from '@pulumi/pulumi';
import { Manifest, Provider } from '../../provider/pulumi';
import { declaredBy } from '../support/pulumi-program';
import { temporaryFolder } from '../support/temporary-folder';
import { bareHead } from '../support/world';

const link = 'runTriggers: [{ target: ws-a, source: ws-b }]\n';

describe('the profile of a manifest in a program', () => {
  const folder = temporaryFolder();
  const { TETHER_PROFILE } = process.env;
  beforeEach(() => {
    delete process.env.TETHER_PROFILE;
  });
  after(() => {
    if (TETHER_PROFILE !== undefined) process.env.TETHER_PROFILE = TETHER_PROFILE;
  });

  interface Program {
    readonly line?: string;
    readonly profile?: string;
    readonly config?: string;
    readonly variable?: string;
    readonly provider?: () => ProviderResource;
  }
  /** What such a program says: the message that refuses it, or nothing. */
  const refusal = async ({ line = '', profile, config, variable, provider }: Program) => {
    const path = join(folder(), 'a.tether.yaml');
    writeFileSync(path, `${bareHead}${line === '' ? '' : `profile: ${line}\n`}${link}`);
    if (variable !== undefined) process.env.TETHER_PROFILE = variable;
    try {
      await declaredBy(
        () => {
          const args = { path, ...(profile === undefined ? {} : { profile }) };
          new Manifest('m', args, provider === undefined ? {} : { provider: provider() });
        },
        config === undefined ? {} : { 'tether:profile': config },
      );
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const given = (profile?: string) => () => new Provider('own', profile === undefined ? {} : { profile });
  const hcp = 'hcp-terraform';

  const taken: readonly (readonly [string, Program])[] = [
    ['nobody names one', {}],
    ['both name the same', { line: hcp, config: hcp }],
    ['the stack names one, and the manifest none', { config: hcp }],
    ['the environment names one', { variable: hcp }],
    ['its provider names one', { provider: given(hcp) }],
    ['the environment names it for a provider that was given none', { variable: hcp, provider: given() }],
    ['the program names that of the stack', { profile: hcp, config: hcp }],
    [
      'only a run will tell what its provider was given',
      { line: hcp, provider: () => new Provider('own', { profile: output('default') }) },
    ],
  ];
  for (const [what, program] of taken) {
    it(`is taken where ${what}`, async () => {
      assert.equal(await refusal(program), undefined);
    });
  }

  const refused: readonly (readonly [string, Program, string])[] = [
    [
      'the manifest names another than the stack',
      { line: hcp },
      'the manifest of acme is for profile hcp-terraform, and its provider works with default: run `pulumi config set tether:profile hcp-terraform`',
    ],
    [
      'the program names another than its provider',
      { profile: 'default', provider: given(hcp) },
      "the manifest of acme is for profile default, and its provider works with hcp-terraform: give the provider profile: 'default'",
    ],
    [
      'there is none of that name',
      { profile: 'default', config: 'Nope' },
      'there is no profile "Nope": name default, hcp-terraform, or a .json file',
    ],
  ];
  for (const [what, program, message] of refused) {
    it(`is refused where ${what}`, async () => {
      assert.equal(await refusal(program), message);
    });
  }
});
