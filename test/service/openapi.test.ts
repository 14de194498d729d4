/** The OpenAPI document: that it says what is needed, and that answers are what it says. */
import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020';
import { Caller, projects } from '../support/api-caller';

type Json = { [member: string]: Json };

async function readDocument({ service }: Caller): Promise<Json> {
  return (await (await fetch(service.url.replace('/api/v2', '/openapi.json'))).json()) as Json;
}

describe('the OpenAPI document', () => {
  const caller = Caller.startBeforeEach();
  let document: Json;
  beforeEach(async () => {
    document = await readDocument(caller);
  });

  const clients = '/organizations/{organization_name}/oauth-clients';
  const triggers = '/workspaces/{workspace_id}/run-triggers';

  it('says which query parameters are required, and a maximum only where one is enforced', async () => {
    const parametersOf = ({ paths }: Json) => Object.values(paths?.[triggers]?.get?.parameters ?? {});
    const findParameter = (name: string) =>
      parametersOf(document).find((parameter) => String(parameter.name) === name);
    assert.equal(findParameter('filter[run-trigger][type]')?.required, true);
    assert.equal(findParameter('page[size]')?.required, false);
    assert.equal(findParameter('page[size]')?.schema?.maximum, undefined);
    await caller.restart({ behaviours: { 'page-size-over': '422', 'page-size-max': '7' } });
    assert.match(JSON.stringify(parametersOf(await readDocument(caller))), /"maximum":7/);
  });

  it('asks for a token everywhere, and describes the bodies and answers that really come', async () => {
    assert.deepEqual(document.security, [{ bearer: [] }]);
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const check = (path: string, method: string, status: string, text: string) => {
      const { responses } = document.paths?.[path]?.[method] ?? {};
      const schema = responses?.[status]?.content?.['application/vnd.api+json']?.schema;
      assert.ok(schema, `${method} ${path} ${status}`);
      const validate = ajv.compile(schema);
      assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
    };
    const created = await caller.createClient(
      { 'oauth-token-string': 't' },
      { projects: projects('prj-web') },
    );
    const id = created.textAt('/data/id');
    const trigger = await caller.createTrigger('ws-app', 'ws-network');
    const list = '/organizations/acme/oauth-clients?page[size]=1&include=projects';
    check(clients, 'post', '201', created.text);
    check(clients, 'post', 'default', (await caller.createClient({ name: 5 })).text);
    check(clients, 'get', '200', (await caller.read(list)).text);
    check(
      '/oauth-clients/{id}',
      'get',
      '200',
      (await caller.read(`/oauth-clients/${id}?include=oauth_tokens`)).text,
    );
    check(
      '/oauth-clients/{id}',
      'get',
      'default',
      (await caller.read('/oauth-clients/x', { token: null })).text,
    );
    check('/oauth-clients/{id}', 'patch', '200', (await caller.updateClient(id, { name: 'x' })).text);
    check(triggers, 'post', '201', trigger.text);
    check(
      triggers,
      'get',
      '200',
      (await caller.listTriggers('ws-app', 'inbound', '&include=sourceable')).text,
    );
    const { requestBody } = document.paths?.[triggers]?.post ?? {};
    assert.match(JSON.stringify(requestBody), /"sourceable"/);
  });
});
