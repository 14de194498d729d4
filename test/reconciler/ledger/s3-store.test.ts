/** The ledger on S3 without a server of S3: what is refused, and what is no empty ledger. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeTimes } from '../../../reconciler/ledger/home';
import { openStore } from '../../../reconciler/ledger/open-store';
import { close, listen } from '../../support/loopback';
import { withEnvironment } from '../../support/process-environment';
import { runProcess } from '../../support/run-process';
import {
  type Reply,
  type ScriptedServer,
  silence,
  startScriptedServer,
  text,
} from '../../support/scripted-server';
import { selfSigned } from '../../support/self-signed';
import { first } from '../../support/two-ledgers';

const drip: Reply = (response) => {
  response.writeHead(200, { ETag: '"1"', 'Content-Length': '1000' }).write('{');
};
const error = (status: number, code: string): Reply =>
  text(status, `<Error><Code>${code}</Code><Message>it is so</Message></Error>`);

describe('a ledger on S3', () => {
  let server: ScriptedServer;
  const { poll: usual } = homeTimes;
  const env = () => ({
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${server.port}`,
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret-canary',
    AWS_MAX_ATTEMPTS: '1',
  });
  before(async () => {
    server = await startScriptedServer();
    homeTimes.poll = 1;
  });
  after(() => {
    homeTimes.poll = usual;
    return server.close();
  });
  withEnvironment(env);
  beforeEach(() => {
    server.arrived.length = 0;
  });

  const open = (more: Readonly<Record<string, string>> = {}) => {
    const ledger = { home: 's3', bucket: 'ledgers', key: 'acme.json' } as const;
    const all = { ...env(), ...more };
    return openStore({ folder: '/nowhere', organization: 'acme', cwd: '/', ledger, env: all });
  };
  /** The SDK reads the variables of this process. */
  const withVariables = async (more: Readonly<Record<string, string>>, work: () => Promise<unknown>) => {
    const before = { ...process.env };
    Object.assign(process.env, more);
    await work().finally(() => {
      for (const name of Object.keys(more)) delete process.env[name];
      Object.assign(process.env, before);
    });
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

  const chunks: Reply = (response) => {
    response.writeHead(200, { ETag: '"1"' });
    const chunk = '['.repeat(1_000_000);
    for (let sent = 0; sent < 33; sent += 1) response.write(chunk);
    response.end();
  };
  const elsewhere = { Location: 'https://login.example.com/in?token=canary' };
  const bad = [
    [
      error(404, 'NoSuchBucket'),
      /could not read s3:\/\/ledgers\/acme\.json: the answer was 404, NoSuchBucket \(it is so\): check `ledger:`, AWS_REGION/,
    ],
    [
      error(403, 'AccessDenied'),
      /the answer was 403, AccessDenied \(it is so\): check the AWS credentials .* \(it also needs s3:ListBucket\)$/,
    ],
    [error(500, 'InternalError'), /the answer was 500, InternalError \(it is so\): try again later$/],
    [text(503, 'busy'), /: the answer was 503: try again later$/],
    [text(403, '<html>'), /: the answer was 403: check the AWS credentials/],
    [
      text(301, '<html><p></html>', elsewhere),
      /: the answer was 301: it redirects to https:\/\/login\.example\.com\/in, which Tether does not follow: check `ledger:`/,
    ],
    [
      text(301, '<Error><Code>PermanentRedirect</Code><Message>no.</Message></Error>', {
        'x-amz-bucket-region': 'eu-west-1',
      }),
      /: the answer was 301, PermanentRedirect \(no\): it redirects to the region eu-west-1, .*AWS_REGION/,
    ],
    [text(404, ''), /: the answer was 404: check `ledger:`/],
    [text(204, ''), /cannot hold a ledger: the answer to a read had no ETag: check/],
    [text(200, '<html>Log in'), /cannot hold a ledger: the answer to a read had no ETag: check/],
    [text(200, '', { ETag: '"1"' }), /is not valid JSON/],
    [chunks, /s3:\/\/ledgers\/acme\.json has more than 32 MB: restore/],
  ] as const satisfies (readonly [Reply, RegExp])[];
  for (const [reply, says] of bad) {
    it(`is never empty because of a bad answer: ${says.source}`, async () => {
      server.script(reply);
      await assert.rejects(open().read(), (failure: Error) => {
        assert.match(failure.message, says);
        assert.doesNotMatch(failure.message, /Unknown|\$response|\n/);
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
          message: /could not read s3:.*: no answer in time: check/,
        });
      } finally {
        homeTimes.request = request;
      }
    });
  }

  const without = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
    AWS_CONFIG_FILE: '/nowhere/config',
  };
  const unsent: [what: string, more: Record<string, string>, says: RegExp][] = [
    [
      'nobody listens',
      { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:1' },
      /connection refused by 127\.0\.0\.1:1 \(ECONNREFUSED\): check `ledger:`/,
    ],
    ...['minio', 'minio.local:9000', '127.0.0.1:9000'].map(
      (endpoint) =>
        [
          `the endpoint ${endpoint} has no scheme`,
          { AWS_ENDPOINT_URL_S3: endpoint },
          /^could not read s3:\S+: the endpoint is not a URL: set AWS_ENDPOINT_URL_S3 to https:\/\/…$/,
        ] as [string, Record<string, string>, RegExp],
    ),
    [
      'a profile has no credentials',
      { ...without, AWS_PROFILE: 'staging', AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials' },
      /: Could not load credentials from any providers: check AWS_PROFILE \(staging\) and AWS_REGION$/,
    ],
    [
      'there are no credentials',
      { ...without, AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials' },
      /: Could not load credentials from any providers: check the AWS credentials and AWS_REGION$/,
    ],
  ];
  for (const [what, more, message] of unsent) {
    it(`says in one sentence that ${what}`, async () => {
      await withVariables(more, () => assert.rejects(open(more).read(), { name: 'LedgerError', message }));
      assert.equal(server.arrived.length, 0);
    });
  }

  it('sends nothing without TLS to another machine, wherever its endpoint was named', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tether-s3-'));
    const config = join(folder, 'config');
    writeFileSync(config, '[default]\nendpoint_url = http://s3.example.com\nregion = eu-west-1\n');
    const message =
      /would be sent to http:\/\/(ledgers\.)?s3\.example\.com: set .* https:\/\/ \(http is for this machine only\)$/;
    const inFile = { AWS_ENDPOINT_URL_S3: '', AWS_CONFIG_FILE: config };
    for (const more of [{ AWS_ENDPOINT_URL_S3: 'http://s3.example.com' }, inFile]) {
      await withVariables(more, async () => {
        if (more === inFile) delete process.env.AWS_ENDPOINT_URL_S3;
        await assert.rejects(open(more).read(), { name: 'LedgerError', message });
        await assert.rejects(open(more).lock({ who: 'alice' }, 0), { message });
      });
    }
    rmSync(folder, { recursive: true });
  });

  it('believes no server with an untrusted certificate, even where Node is told to', async () => {
    const seen: unknown[] = [];
    const tls = https.createServer(selfSigned('localhost'), (request, response) => {
      seen.push(request.headers);
      response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    });
    const port = await listen(tls);
    const more = { AWS_ENDPOINT_URL_S3: `https://localhost:${port}`, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    try {
      await withVariables(more, () =>
        assert.rejects(open(more).read(), {
          message:
            /could not read s3:.*: the certificate of localhost:\d+ is not trusted \(\w+\): NODE_EXTRA_CA_CERTS/,
        }),
      );
      assert.deepEqual(seen, []);
    } finally {
      await close(tls);
    }
  });

  it('leaves the checksums to the SDK and its variable', async () => {
    server.script((response) => response.writeHead(200).end());
    for (const [value, isSent] of [
      ['WHEN_SUPPORTED', true],
      ['WHEN_REQUIRED', false],
    ] as const) {
      await withVariables({ AWS_REQUEST_CHECKSUM_CALCULATION: value }, () =>
        assert.rejects(open().lock({ who: 'alice' }, 0)),
      );
      const { headers } = server.arrived.find(({ method }) => method === 'PUT') ?? assert.fail();
      assert.equal(headers['x-amz-checksum-crc32'] !== undefined, isSent);
      server.arrived.length = 0;
    }
  });

  it('does not take a lock that was answered without an ETag and is not there', async () => {
    server.script((response, { method }) => {
      if (method === 'PUT') response.writeHead(200).end();
      else response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    });
    await assert.rejects(open().lock({ who: 'alice' }, 0), {
      name: 'LedgerError',
      message: /cannot hold a ledger: the answer to a write had no ETag/,
    });
  });

  it('believes a save without an ETag only if the document is there', async () => {
    const { poll, request } = homeTimes;
    for (const storesAt of [1, 2, 99]) {
      Object.assign(homeTimes, storesAt === 99 ? { poll: request } : { poll: 1 });
      const objects = new Map<string, string>();
      let saves = 0;
      server.script((response, { method, url, body }) => {
        const [path = ''] = url.split('?');
        const isLock = path.endsWith('.lock');
        const stored = objects.get(path);
        if (method === 'GET' && stored !== undefined)
          return response.writeHead(200, { ETag: '"1"' }).end(stored);
        if (method === 'GET') return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        if (isLock && stored !== undefined) return response.writeHead(412).end();
        saves += isLock ? 0 : 1;
        if (isLock || saves >= storesAt) objects.set(path, body);
        return response.writeHead(200, isLock ? { ETag: '"1"' } : {}).end();
      });
      const store = open();
      await store.lock({ who: 'alice' }, 0);
      const save = store.save(first, null);
      if (storesAt < 99) await save;
      else await assert.rejects(save, { message: /the answer to a write had no ETag.*, and it still holds/ });
      assert.equal(saves, Math.min(storesAt, storesAt === 99 ? 1 : 2));
    }
    Object.assign(homeTimes, { poll, request });
  });

  it('waits for the lock where another write of it is not done yet', async () => {
    const { poll } = homeTimes;
    homeTimes.poll = 1;
    let writes = 0;
    server.script((response, { method }) => {
      if (method === 'GET') return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      writes += 1;
      if (writes === 2) return response.writeHead(200, { ETag: '"1"' }).end();
      const conflict = '<Error><Code>ConditionalRequestConflict</Code></Error>';
      return writes === 1 ? response.writeHead(409).end(conflict) : response.writeHead(412).end();
    });
    await open().lock({ who: 'alice' }, 5000);
    assert.equal(writes, 3);
    homeTimes.poll = poll;
  });

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
