/** Nothing that leaves the client holds a token, a secret, a body, or an object of Node's http. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { redactor, wholeSecret } from '../../client/text';
import { catchFailure } from '../support/api-failure';
import { cutOff, json, type Reply, reset, text } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';

const canaries = {
  token: 'CANARY-token-5up3r',
  secret: 'CANARY-secret-l1ne-one\nCANARY-secret-l1ne-two "quoted"',
  privateKey: '-----BEGIN KEY-----\nQ0FOQVJZcHJpdmF0ZQ\n-----END KEY-----',
  oauthTokenString: 'CANARY/string+with=signs',
};
const body = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://body-1n-full.test',
  apiUrl: 'https://api.test',
};

/** Answers that repeat what was sent, in the ways services do. */
const replies: Record<string, Reply> = {
  'a 422 that quotes the request': (response, { headers, body: sent }) => {
    // The client can only mask what it has sent.
    const values = Object.values(canaries).filter(
      (value) => value === canaries.token || sent.includes(JSON.stringify(value)),
    );
    const errors = [
      { status: 422, title: `bad ${headers.authorization}`, detail: sent, source: { pointer: sent } },
      ...values.map((value) => ({ title: value, detail: value.slice(0, 12), source: { parameter: value } })),
      ...values.flatMap((value) => value.split('\n')),
      ...values.map((value) => encodeURIComponent(value)),
      ...values.map((value) => Buffer.from(value).toString('base64')),
    ];
    json(422, { errors })(response, { method: '', url: '', headers, body: '' });
  },
  'a 500 with the request in it': (response, { headers, body: sent }) =>
    response.writeHead(500).end(JSON.stringify({ errors: [sent, headers.authorization] })),
  'a redirect with the token in it': (response, { headers }) =>
    response.writeHead(307, { Location: `https://${canaries.token}.test/?t=${headers.authorization}` }).end(),
  'a success of another shape': (response, { body: sent }) =>
    response
      .writeHead(201)
      .end(JSON.stringify({ data: { type: 'oauth-clients', id: canaries.token, attributes: { sent } } })),
  'the request as HTML': (response, { body: sent }) => response.writeHead(200).end(`<p>${sent}`),
  'garbage with the request in it': (response, { body: sent }) => response.writeHead(200).end(`{${sent}`),
  'bytes that are no HTTP': (response) => response.socket?.end(`${canaries.token}\r\n\r\n`),
  'a cut off answer': cutOff(422),
  'a header with the token': text(401, '', { 'www-authenticate': canaries.token }),
  'a reset': reset,
};

function assertClean(shown: string, what: string): void {
  const parts = Object.values(canaries).flatMap((value) => [
    ...value.split('\n'),
    value.slice(0, 12),
    Buffer.from(value).toString('base64').slice(0, 16),
    encodeURIComponent(value),
  ]);
  // What a service quotes of the rest of the body is its own text, and says which value it did not like.
  const quoted = what.includes('the request');
  for (const part of [...parts, 'CANARY', ...(quoted ? [] : ['Bearer', 'body-1n-full'])]) {
    assert.ok(
      !shown.toLowerCase().includes(part.toLowerCase()),
      `${what} shows ${part}: ${shown.slice(0, 2000)}`,
    );
  }
  assert.doesNotMatch(shown, /ClientRequest|IncomingMessage|Socket|Agent/, what);
}

describe('secrets', () => {
  const wire = scriptedWire();

  for (const [what, reply] of Object.entries(replies)) {
    it(`stay inside the client after ${what}`, async () => {
      wire.server.script(reply);
      const api = wire.client({ token: canaries.token });
      const { secret, privateKey, oauthTokenString } = canaries;
      for (const call of [
        () => api.oauthClients.create('acme', { ...body, secret, privateKey, oauthTokenString }),
        () => api.oauthClients.update('oc-1', { secret, oauthTokenString, key: 'body-1n-full' }),
        () => api.oauthClients.read('oc-1'),
      ]) {
        const error = await catchFailure(call());
        const context = inspect(error, { depth: 20, showHidden: true, getters: true });
        const own = Object.getOwnPropertyNames(error).map((name) => [name, Reflect.get(error, name)]);
        for (const shown of [
          context,
          JSON.stringify(error),
          inspect(own, { depth: 20 }),
          error.stack ?? '',
        ]) {
          assertClean(shown, `${what}: the error`);
        }
        assert.equal(error.cause, undefined);
      }
      assertClean(inspect(wire.events, { depth: 20 }), `${what}: the events`);
      assertClean(inspect(api, { depth: 20, showHidden: true }), `${what}: the client`);
    });
  }

  it('are masked whole, in part, line by line and in other spellings', () => {
    const secret = 'abcdefgh-12345678';
    for (const [shown, masked] of [
      [`it is ${secret}!`, 'it is (secret)!'],
      ['it is abcdefgh-…', 'it is (secret)…'],
      ['starts abcdefgh and ends 12345678', 'starts (secret) and ends (secret)'],
      [Buffer.from(secret).toString('base64'), '(secret)'],
      ['abcdefg is too short to tell', 'abcdefg is too short to tell'],
      ['', ''],
    ] as const) {
      assert.equal(redactor([secret])(shown), masked);
    }
    assert.equal(redactor(['"q"'])('a "q" b'), 'a (secret) b');
    assert.equal(redactor(['"q"'])('a \\"q\\" b'), 'a (secret) b');
    assert.equal(redactor(['', 'x1'])('untouched'), 'untouched');
    assert.equal(redactor(['canary', 'canary-two'])('canary-two canary'), '(secret) (secret)');
    assert.equal(redactor(['u'])('untouched u'), '(secret)nto(secret)ched (secret)');
    const long = secret.repeat(2);
    const piece = long.slice(0, -1);
    assert.equal(redactor([long], wholeSecret)(`${piece} ${long}`), `${piece} (secret)`);
  });

  it('are masked in each part of the least length, and nowhere else', () => {
    // A text of others may have any character, also one that the search uses itself.
    const letters = (maxLength: number, ...others: readonly string[]) =>
      fc
        .array(fc.constantFrom('x', 'y', ...others), { minLength: 1, maxLength })
        .map((units) => units.join(''));
    const check = (secret: string, shown: string, piece: number) => {
      const width = Math.min(piece, secret.length);
      const isShown = (from: number) => secret.includes(shown.slice(from, from + width));
      const hidden = [...shown].map(() => '.');
      for (let from = 0; from + width <= shown.length; from += 1) {
        if (isShown(from)) hidden.fill('#', from, from + width);
      }
      const masked = [...shown].map((letter, at) => (hidden[at] === '#' ? '#' : letter)).join('');
      const expected = masked.replace(/#+/g, '(secret)');
      assert.equal(redactor([secret], piece)(shown), expected);
    };
    fc.assert(fc.property(letters(20), letters(40, '\uffff'), fc.integer({ min: 1, max: 9 }), check), {
      numRuns: 2000,
    });
  });

  it('are found if they are as large as a file may be', () => {
    const line = () => randomBytes(48).toString('base64');
    const key = `-----BEGIN KEY-----\n${Array.from({ length: 1000 }, line).join('\n')}\n`;
    const [from, to] = [30_000, 30_100];
    assert.equal(redactor(['token', key])(`<${key.slice(from, to)}>`), '<(secret)>');
  });

  const token = 'CANtok&<>%41"(it\'s)/+ 5up3r';
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
  const named = (one: string) => `&${names[one] ?? '#39'};`;
  const numbered = (one: string) => `&#${one.charCodeAt(0)};`;
  const inHex = (one: string) => one.charCodeAt(0).toString(16);
  const echoes: Record<string, (text: string) => string> = {
    'a header in base64': (text) => Buffer.from(`Bearer ${text}`).toString('base64'),
    'a body in base64': (text) => Buffer.from(JSON.stringify({ a: [text], b: 'x' })).toString('base64'),
    'a body in base64 for URLs': (text) => Buffer.from(JSON.stringify({ ab: text })).toString('base64url'),
    'base64 over lines': (text) =>
      Buffer.from(`Authorization: ${text}`).toString('base64').replace(/.{48}/g, '$&\n'),
    hex: (text) => Buffer.from(`Bearer ${text}`).toString('hex'),
    'hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
    'a URL in which everything is escaped': (text) => text.replace(/./g, (one) => `%${inHex(one)}`),
    'a form': (text) => new URLSearchParams({ text }).toString(),
    'HTML with names': (text) => text.replace(/[&<>"']/g, named),
    'HTML with numbers': (text) => text.replace(/[&<>"']/g, numbered),
    'HTML with hexadecimal numbers': (text) => text.replace(/[&<>"']/g, (one) => `&#x${inHex(one)};`),
    'HTML in which only brackets are escaped': (text) => text.replace(/[&<>]/g, named),
    'HTML in which everything is escaped': (text) => text.replace(/./g, numbered),
    'JSON that is safe in HTML': (text) =>
      JSON.stringify(text).replace(/[&<>]/g, (one) => `\\u00${inHex(one)}`),
  };
  for (const [how, echoOf] of Object.entries(echoes)) {
    it(`are masked in ${how}`, () => {
      const echo = echoOf(token);
      const shown = redactor([token])(`it says ${echo} there`);
      assert.match(shown, /^it says .*\(secret\).* there$/s);
      // From the first to the last character in which the echo of another token differs.
      const other = echoOf(token.replace(/[a-zA-Z0-9]/g, (one) => (one === 'x' ? 'y' : 'x')));
      const differs = [...echo].flatMap((one, at) => (one === other[at] ? [] : [at]));
      const secret = echo.slice(differs[0], (differs.at(-1) ?? 0) + 1);
      const width = Math.ceil((8 * secret.length) / token.length);
      for (let at = 0; at + width <= secret.length; at += 1) {
        assert.ok(!shown.includes(secret.slice(at, at + width)), `${shown} shows a piece of ${secret}`);
      }
    });
  }
});
