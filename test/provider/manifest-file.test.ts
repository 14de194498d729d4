/** Manifests as a program reads them: every mistake at once, warnings, and secrets from variables and files. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readForProgram } from '../../provider/pulumi/manifest-file';
import { temporaryFolder } from '../support/temporary-folder';
import { bareHead } from '../support/world';

describe('a manifest that a program reads', () => {
  const folder = temporaryFolder();
  const variables: Record<string, string> = {};
  const around = { variable: (name: string) => variables[name], folder, say: () => undefined };
  const read = (paths: readonly string[]) => readForProgram(paths, undefined, around);

  it('has its secrets from variables and from files beside it, and says what is missing without a value', async () => {
    mkdirSync(join(folder(), 'infra'));
    writeFileSync(join(folder(), 'infra', 'a.tether.yaml'), bareHead);
    writeFileSync(join(folder(), 'infra', 'token'), 'canary-file\n');
    for (const path of ['infra', 'infra/a.tether.yaml']) {
      const { secret } = read([path]);
      const of = (source: Parameters<typeof secret>[2]) => secret('OAuthClient/github', 'secret', source);
      // A program may set a variable late.
      variables.TOKEN = 'canary-variable';
      assert.equal(await of({ fromEnv: 'TOKEN' }), 'canary-variable');
      assert.equal(await of({ fromFile: 'token' }), 'canary-file');
      delete variables.TOKEN;
      await assert.rejects(of({ fromEnv: 'TOKEN' }), {
        message: 'secret of OAuthClient/github: environment variable TOKEN is not set',
      });
      await assert.rejects(of({ fromFile: 'nowhere' }), {
        message: 'secret of OAuthClient/github: secret file nowhere does not exist',
      });
    }
  });

  it('is named: no path at all would declare nothing, and so destroy everything', () => {
    assert.throws(() => read([]), {
      message: 'path of a Manifest is an empty list: name a file or a folder',
    });
  });

  it('is read with its warnings, and refused with every mistake and its place', () => {
    const cycle = 'runTriggers: [{ target: ws-a, source: ws-b }, { target: ws-b, source: ws-a }]\n';
    writeFileSync(join(folder(), 'a.tether.yaml'), `${bareHead}${cycle}`);
    const { warnings, organizations } = read(['a.tether.yaml']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /a\.tether\.yaml:3:\d+ {2}warning/);
    assert.equal(organizations[0]?.entries.length, 2);
    writeFileSync(join(folder(), 'a.tether.yaml'), `${bareHead}one: 1\ntwo: 2\n${cycle}`);
    assert.throws(
      () => read(['a.tether.yaml']),
      ({ message }: Error) => {
        assert.match(message, /^a\.tether\.yaml:\na\.tether\.yaml:3:1 {2}error/);
        assert.match(message, /\na\.tether\.yaml:4:1 {2}error/);
        assert.doesNotMatch(message, /warning/);
        return true;
      },
    );
  });
});
