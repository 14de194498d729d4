/** Profiles: the two that ship, files of one's own, and what is said about a wrong one. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ProfileError, parseProfile, readProfile } from '../../resources/profile';
import { temporaryFolder } from '../support/temporary-folder';

const shipped = resolve(__dirname, '../../../profiles');
const text = readFileSync(join(shipped, 'default.json'), 'utf8');

describe('profiles', () => {
  const folder = temporaryFolder();

  for (const name of ['default', 'hcp-terraform']) {
    it(`${name} ships with the package`, () => {
      const profile = readProfile(name, '/nowhere');
      assert.equal(profile.name, name);
      // Starting does not check it again.
      const { environment: _, ...read } = profile;
      assert.deepEqual(parseProfile(readFileSync(join(shipped, `${name}.json`), 'utf8'), name), read);
    });
  }

  it('reads a file relative to where it is named, and an absolute one from anywhere', () => {
    writeFileSync(join(folder(), 'own.json'), text.replace('"name": "default"', '"name": "own"'));
    assert.equal(readProfile('own.json', folder()).name, 'own');
    assert.equal(parseProfile(`\uFEFF${text}`, 'own.json').name, 'default');
    assert.equal(readProfile('./own.json', folder()).name, 'own');
    assert.equal(readProfile(join(folder(), 'own.json'), '/nowhere').name, 'own');
  });

  const wrongNames: readonly (readonly [string, RegExp])[] = [
    ['hcp', /there is no profile "hcp": name default, hcp-terraform, or a \.json file/u],
    ['Default', /there is no profile "Default"/u],
    ['..', /there is no profile "\.\."/u],
    ['', /there is no profile ""/u],
    ['own.json', /the profile file own\.json cannot be read \(ENOENT\)/u],
    ['./', /the profile file \.\/ cannot be read \(it is a folder, not a plain file\)/u],
    ['/dev/zero/../zero', /cannot be read \(it is a device, not a plain file\)/u],
  ];
  for (const [name, message] of wrongNames) {
    it(`says what is wrong with the name "${name}"`, () => {
      assert.throws(() => readProfile(name, shipped.replace(/profiles$/u, '')), {
        name: 'ProfileError',
        message,
      });
    });
  }

  it('tells every mistake of a profile at once, each with its path', () => {
    const wrong = JSON.parse(text) as Record<string, unknown>;
    delete wrong.limits;
    wrong.capabilities = { tokenInPatch: 'yes' };
    wrong.colour = 'red';
    wrong.serviceProviders = { 'a\n::notice::b': {} };
    assert.throws(
      () => parseProfile(JSON.stringify(wrong), 'own.json'),
      (error) => {
        assert.ok(error instanceof ProfileError);
        assert.match(error.message, /^own\.json is not a profile: /u);
        assert.match(error.message, /must have required property 'limits'/u);
        assert.match(error.message, /must NOT have additional properties "colour"/u);
        assert.match(error.message, /\/serviceProviders: property name must be valid;/u);
        assert.match(error.message, /\/a\\n::notice::b: must have required property/u);
        assert.match(error.message, /\/capabilities\/tokenInPatch: must be boolean/u);
        return true;
      },
    );
  });

  const foreign = ['TOPSECRET-1', '{"a":TOPSECRET}', '{"TOPSECRET-1":1}', '"TOPSECRET"'];
  for (const content of foreign) {
    it(`quotes nothing of a file that is no profile: ${content}`, () => {
      assert.throws(
        () => parseProfile(content, 'own.json'),
        (error) => {
          assert.ok(error instanceof ProfileError);
          assert.match(error.message, /^own\.json is not (JSON$|a profile:)/u);
          assert.doesNotMatch(error.message, /TOPSECRET/u);
          return true;
        },
      );
    });
  }

  it('reads the variables of a product under its shipped name only, whatever a file calls itself', () => {
    assert.deepEqual(readProfile('hcp-terraform', '/nowhere').environment?.token, ['TFE_TOKEN']);
    assert.equal(readProfile('default', '/nowhere').environment, undefined);
    assert.equal(readProfile(join(shipped, 'hcp-terraform.json'), '/nowhere').environment, undefined);
  });
});
