/** The ledger on S3 without a server of S3: what is refused, and what is no empty ledger. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { homeTimes } from '../../../reconciler/ledger/home';
import { openStore } from '../../../reconciler/ledger/open-store';
import { withEnvironment } from '../../support/ledger-homes';
import { runProcess } from '../../support/run-process';
import {
  type Reply,
  type ScriptedServer,
  silence,
  startScriptedServer,
  text,
} from '../../support/scripted-server';

const drip: Reply = (response) => {
  response.writeHead(200, { ETag: '"1"', 'Content-Length': '1000' }).write('{');
};
const error = (status: number, code: string): Reply =>
  text(status, `<Error><Code>${code}</Code><Message>it is so</Message></Error>`);

describe('a ledger on S3', () => {
  let server: ScriptedServer;
  const env = () => ({
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${server.port}`,
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret-canary',
    AWS_MAX_ATTEMPTS: '1',
  });
  before(async () => {
    server = await startScriptedServer();
  });
  after(() => server.close());
  withEnvironment(env);
  beforeEach(() => {
    server.arrived.length = 0;
  });

  const open = () => {
    const ledger = { home: 's3', bucket: 'ledgers', key: 'acme.json' } as const;
    return openStore({ folder: '/nowhere', organization: 'acme', cwd: '/', ledger, env: env() });
  };

  it('is refused where the server accepts a second lock, and its lock is removed', async () => {
    let lock = '';
    server.script((response, { method, body }) => {
      if (method === 'PUT') lock = body;
      response.writeHead(200, { ETag: '"1"' }).end(method === 'GET' ? lock : '');
    });
    await assert.rejects(open().lock({ who: 'alice' }, 0), {
      name: 'LedgerError',
      message: /^s3:\/\/ledgers\/acme\.json cannot hold a ledger: its server did not answer 412/,
    });
    const requests = server.arrived.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`);
    const path = '/ledgers/acme.json.lock';
    assert.deepEqual(requests, [`PUT ${path}`, `PUT ${path}`, `GET ${path}`, `DELETE ${path}`]);
    assert.equal(server.arrived[0]?.headers['if-none-match'], '*');
  });

  const bad = [
    [error(404, 'NoSuchBucket'), /could not read s3:\/\/ledgers\/acme\.json: NoSuchBucket 404: it is so$/],
    [error(403, 'AccessDenied'), /AccessDenied 403: it is so \(it also needs s3:ListBucket\)$/],
    [error(500, 'InternalError'), /InternalError/],
    [text(200, ''), /is not valid JSON/],
  ] as const;
  for (const [reply, says] of bad) {
    it(`is never empty because of a bad answer: ${says.source}`, async () => {
      server.script(reply);
      await assert.rejects(open().read(), (failure: Error) => {
        assert.match(failure.message, says);
        assert.doesNotMatch(`${failure.stack}${JSON.stringify(failure)}`, /canary/);
        return failure.name === 'LedgerError';
      });
    });
  }

  for (const [what, reply] of [
    ['never answers', silence],
    ['drips', drip],
  ] as const) {
    it(`gives up on a server that ${what}`, async () => {
      const { request } = homeTimes;
      homeTimes.request = 100;
      server.script(reply);
      try {
        await assert.rejects(open().read(), {
          name: 'LedgerError',
          message: /could not read s3:.*(?:no answer in time|aborted)/,
        });
      } finally {
        homeTimes.request = request;
      }
    });
  }

  it('is empty where the bucket is there and the object is not', async () => {
    server.script(error(404, 'NoSuchKey'));
    assert.equal(await open().read(), null);
  });

  it('says how to install the SDK, which nothing else loads', async () => {
    const module = JSON.stringify(join(__dirname, '../../../reconciler/ledger/open-store'));
    const script = `
      const Module = require('node:module');
      const resolve = Module._resolveFilename;
      Module._resolveFilename = (name, ...rest) => {
        if (name !== '@aws-sdk/client-s3') return resolve(name, ...rest);
        throw Object.assign(new Error('none'), { code: 'MODULE_NOT_FOUND' });
      };
      const { openStore } = require(${module});
      const open = (ledger) => openStore({ folder: '.', organization: 'acme', cwd: '.', ledger, env: {} });
      open(null);
      try { open({ home: 's3', bucket: 'ledgers', key: 'acme.json' }); } catch (error) { console.log(error.message); }`;
    const { stdout, stderr } = await runProcess(process.execPath, ['-e', script], {
      cwd: __dirname,
      env: {},
    });
    assert.equal(stderr, '');
    assert.equal(stdout, 'a ledger on S3 needs the AWS SDK: npm install @aws-sdk/client-s3\n');
  });
});
