/** Profiles: the two that ship, files of one's own, and what is said about a wrong one. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  builtInProfiles,
  type Profile,
  ProfileError,
  parseProfile,
  profileSchema,
  readProfile,
  type ServiceProvider,
} from '../../resources/profile';
import type * as service from '../../service/profile';
import { temporaryFolder } from '../support/temporary-folder';

const shipped = resolve(__dirname, '../../../profiles');
const text = readFileSync(join(shipped, 'default.json'), 'utf8');

describe('profiles', () => {
  const folder = temporaryFolder();

  it('that ship are named in `builtInProfiles`', () => {
    const files = readdirSync(shipped).filter((file) => file !== 'profile.schema.json');
    assert.deepEqual(
      builtInProfiles.map((name) => `${name}.json`),
      files.sort(),
    );
  });

  for (const name of builtInProfiles) {
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

  it('refuses a file that is too large for a profile', () => {
    writeFileSync(join(folder(), 'large.json'), ' '.repeat(1_000_001));
    assert.throws(() => readProfile('large.json', folder()), /large\.json is larger than 1000000 bytes/u);
  });

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

/** The members of a profile's types. A member of either type that is missing or left over here does not compile. */
const members = {
  profile: { name: true, doc: true, serviceProviders: true, limits: true, capabilities: true },
  serviceProvider: {
    displayName: true,
    needs: true,
    forbids: true,
    neverEmpty: true,
    together: true,
    sshKeys: true,
  },
  limits: { maxSources: true, requestsPerSecond: true },
  capabilities: {
    tokenInPatch: true,
    affectedWorkspaces: true,
    lookupByName: true,
    includeOnOutbound: true,
    foreignProjects: true,
  },
} satisfies {
  // Only the code adds `environment`.
  profile: Record<Exclude<keyof Profile | keyof service.Profile, 'environment'>, true>;
  serviceProvider: Record<keyof ServiceProvider | keyof service.ServiceProvider, true>;
  limits: Record<keyof Profile['limits'] | keyof service.Profile['limits'], true>;
  capabilities: Record<keyof Profile['capabilities'] | keyof service.Profile['capabilities'], true>;
};

describe('the schema of profiles', () => {
  interface ObjectSchema {
    readonly properties: Readonly<Record<string, ObjectSchema>>;
    readonly additionalProperties: ObjectSchema;
  }
  const { properties } = profileSchema() as ObjectSchema;
  const { $schema: _, ...ofProfile } = properties;
  const rows = [
    ['profile', ofProfile],
    ['serviceProvider', properties.serviceProviders?.additionalProperties.properties],
    ['limits', properties.limits?.properties],
    ['capabilities', properties.capabilities?.properties],
  ] as const;
  for (const [what, described] of rows) {
    it(`has the members of both types of a ${what}, and no others`, () => {
      assert.deepEqual(Object.keys(described ?? {}).sort(), Object.keys(members[what]).sort());
    });
  }
});
