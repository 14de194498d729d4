// The OpenAPI document: that it is complete, and that answers are what it says.

import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020';
import { Caller, projects } from '../support/api-caller';

type Json = { [member: string]: Json };

describe('the OpenAPI document', () => {
  let caller: Caller;
  let document: Json;
  beforeEach(async () => {
    caller = await Caller.start();
    document = (await (await fetch(caller.service.url.replace('/api/v2', '/openapi.json'))).json()) as Json;
  });
  afterEach(() => caller.close());

  function operation(path: string, method: string): Json {
    const found = document.paths?.[path]?.[method];
    assert.ok(found, `${method} ${path}`);
    return found;
  }

  it('asks for a bearer token everywhere', () => {
    assert.deepEqual(document.security, [{ bearer: [] }]);
    assert.equal(document.components?.securitySchemes?.bearer?.scheme, 'bearer');
  });

  it('documents every status that can come', () => {
    const statuses = (path: string, method: string) =>
      Object.keys(operation(path, method).responses ?? {}).join(' ');
    const rows: [string, string, string][] = [
      ['/organizations/{organization_name}/oauth-clients', 'get', '200 400 401 404 405 429'],
      ['/organizations/{organization_name}/oauth-clients', 'post', '201 400 401 404 405 413 415 422 429'],
      ['/oauth-clients/{id}', 'delete', '204 400 401 404 405 413 415 429'],
      ['/workspaces/{workspace_id}/run-triggers', 'post', '201 400 401 404 405 409 413 415 422 429'],
    ];
    for (const [path, method, expected] of rows) assert.equal(statuses(path, method), expected);
  });

  it('says which query parameters are required, and no maximum where the service clamps', async () => {
    const parameters = Object.values(
      operation('/workspaces/{workspace_id}/run-triggers', 'get').parameters ?? {},
    );
    const named = (name: string) => parameters.find((parameter) => String(parameter.name) === name);
    assert.equal(named('filter[run-trigger][type]')?.required, true);
    assert.equal(named('page[size]')?.required, false);
    assert.equal(named('page[size]')?.schema?.maximum, undefined);
    const strict = await Caller.start({ behaviours: { 'page-size-over': '422', 'page-size-max': '7' } });
    const text = await (await fetch(strict.service.url.replace('/api/v2', '/openapi.json'))).text();
    assert.match(text, /"maximum":7/);
    await strict.close();
  });

  it('describes the answers that really come', async () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const check = (path: string, method: string, status: number, text: string) => {
      const media = operation(path, method).responses?.[String(status)]?.content?.[
        'application/vnd.api+json'
      ];
      const schema = { ...media?.schema, components: document.components };
      const validate = ajv.compile(schema);
      assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
    };
    const clients = '/organizations/{organization_name}/oauth-clients';
    const triggers = '/workspaces/{workspace_id}/run-triggers';
    const created = await caller.createClient(
      { 'oauth-token-string': 't' },
      { projects: projects('prj-web') },
    );
    check(clients, 'post', 201, created.text);
    check(clients, 'post', 422, (await caller.createClient({ name: 5 })).text);
    check(
      clients,
      'get',
      200,
      (await caller.read('/organizations/acme/oauth-clients?page[size]=1&include=projects')).text,
    );
    const id = created.textAt('/data/id');
    check(
      '/oauth-clients/{id}',
      'get',
      200,
      (await caller.read(`/oauth-clients/${id}?include=oauth_tokens`)).text,
    );
    check('/oauth-clients/{id}', 'patch', 200, (await caller.updateClient(id, { name: 'x' })).text);
    check(
      '/oauth-clients/{id}',
      'get',
      401,
      (await caller.read(`/oauth-clients/${id}`, { token: null })).text,
    );
    const trigger = await caller.createTrigger('ws-app', 'ws-network');
    check(triggers, 'post', 201, trigger.text);
    check(triggers, 'get', 200, (await caller.listTriggers('ws-app', 'inbound', '&include=sourceable')).text);
    check(
      '/run-triggers/{run_trigger_id}',
      'get',
      200,
      (await caller.read(`/run-triggers/${trigger.textAt('/data/id')}`)).text,
    );
  });
});
