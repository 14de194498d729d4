/** Every command's JSON is what its published schema says, and nothing that the schema does not know. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleCodes, rulesInCode } from '../../tools/generated/rule-codes';
import { schemaProblems } from '../support/output-schema';
import { acme, github, head, World } from '../support/world';

const manifests = `${head}${github}    projects: [payments]
runTriggers:
  - { target: app, sources: [network, dns] }
  - { target: jobs, source: app }
`;

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** The document with one more member in each of its objects in turn, with the path of that object. */
function* withStranger(value: Json, path: string): Generator<readonly [string, Json]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const [where, changed] of withStranger(item, `${path}[]`)) {
        yield [where, value.map((one: Json, at) => (at === index ? changed : one))];
      }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  yield [path, { ...value, stranger: { any: [] } }];
  for (const [name, item] of Object.entries(value))
    for (const [where, changed] of withStranger(item, `${path}.${name}`))
      yield [where, { ...value, [name]: changed }];
}

describe('JSON documents', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(acme);
    world.write('main.tether.yaml', manifests);
  });
  afterEach(() => world.close());

  async function document(code: number, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const ended = await world.here([...args, '--json'], { env });
    assert.equal(ended.code, code, `${args.join(' ')}\n${ended.stdout}`);
    return JSON.parse(ended.stdout) as { [member: string]: Json };
  }

  it('are of the schema, version 1, for every command and for errors; nothing else is', async () => {
    const documents = [
      await document(0, ['validate']),
      await document(0, ['graph']),
      await document(0, ['plan']),
      await document(0, ['apply', '--yes']),
      await document(0, ['plan']),
      await document(0, ['ledger', 'show']),
      await document(0, ['ledger', 'unlock', '0123456789abcdef']),
      await document(0, ['show']),
    ];
    await world.somebody.runTriggers.create('ws-app', 'ws-web');
    const [first] = Object.values(world.ledger.objects).filter(({ kind }) => kind === 'OAuthClient');
    await world.somebody.oauthClients.update(first?.id ?? '', { name: 'Other' });
    documents.push(await document(2, ['drift']), await document(0, ['plan', '--max-deletes', '9']));
    world.write('main.tether.yaml', manifests.replace('git.example.com', 'gitlab.example.com'));
    documents.push(
      await document(0, ['plan']),
      await document(1, ['apply', '--yes']),
      await document(1, ['apply', '--yes', '--expect', '0000']),
      await document(1, ['validate', 'nowhere']),
      await document(1, ['plan', 'nowhere']),
      await document(1, ['destroy', '--yes']),
      await document(1, ['plan'], { TETHER_TOKEN: 'wrong' }),
    );
    world.remove('tether.ledger.json');
    world.write('main.tether.yaml', manifests.replace(/oauthClients[\s\S]*/, ''));
    documents.push(await document(0, ['export']));
    const schema = JSON.parse(
      readFileSync(join(__dirname, '../../../schemas/output.schema.json'), 'utf8'),
    ) as { oneOf: readonly { $ref: string }[] };
    const told = new Set(documents.map(({ command, error }) => (error === undefined ? command : 'error')));
    const known = schema.oneOf.map(({ $ref }) => $ref.replace('#/definitions/', '').replace('-', ' '));
    assert.deepEqual([...told].sort(), known.sort());
    for (const one of documents) {
      assert.equal(one.version, 1);
      assert.notDeepEqual(schemaProblems({ ...one, version: 2 }), []);
      assert.notDeepEqual(schemaProblems({ ...one, command: 7 }), []);
      for (const member of Object.keys(one)) {
        const { [member]: _, ...rest } = one;
        // Without its error, that of a stale plan is a plan.
        const isNeeded = one.error === undefined ? member !== 'result' : member === 'error' && !one.plan;
        if (isNeeded || ['version', 'command', 'exitCode'].includes(member)) {
          assert.notDeepEqual(schemaProblems(rest), [], `without ${member}`);
        }
      }
      for (const [where, changed] of withStranger(one, String(one.command))) {
        // What stands under a name or an address has a form too.
        assert.notDeepEqual(schemaProblems(changed), [], `a stranger in ${where}`);
      }
    }
  });

  it('have a word for every rule that the code names, and for no other', () => {
    assert.deepEqual([...rulesInCode()].sort(), Object.keys(ruleCodes).sort());
  });
});
