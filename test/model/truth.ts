/** Checks the promises that always hold, from requests and objects alone and without the oracle: RULES.md, "Lacking fields", RULES.md, "Any run". */
import { isDeepStrictEqual } from 'node:util';
import { Broken } from './broken';
import type { Course } from './course';
import type { Passing, Sent } from './gateway';
import type { HidableField, RealClient, Reality } from './reality';
import type { LedgerState, PendingCreate, PlannedStep } from './tool';

export interface Run {
  readonly before: Reality;
  readonly after: Reality;
  readonly ledgerBefore: LedgerState;
  readonly ledger: LedgerState;
  readonly steps: readonly PlannedStep[];
  /** The ids of objects that somebody else created meanwhile. */
  readonly strangers: ReadonlySet<string>;
  readonly sent: readonly Sent[];
  /** The fields that no answer has. */
  readonly lacks: ReadonlySet<HidableField>;
  /** When true, a request is executed after the end of its run. */
  readonly isLate: boolean;
}

/** Checks that no printed or written text has a secret or a token. */
export function checkSilence(course: Course, ...texts: string[]): void {
  for (const text of [...texts, course.site.savedLedger() ?? '']) {
    const at = text.indexOf('CANARY');
    if (at >= 0) throw new Broken('no secret in any output', text.slice(Math.max(0, at - 200), at + 60));
  }
}

export function checkNoWrites(course: Course, what: string): void {
  const { writes } = course.site.gateway;
  if (writes.length === 0) return;
  const list = writes.map(({ method, path }) => `${method} ${path}`);
  throw new Broken(`${what} sends no write`, list.join('\n'));
}

const isCreate = ({ method, path }: Passing): boolean =>
  method === 'POST' && path.startsWith('/organizations/');

const secretAttributes = {
  'oauth-token-string': 'oauthTokenString',
  secret: 'secret',
  'private-key': 'privateKey',
} as const;

/** Checks that the digest of a secret has left the ledger before its PATCH. */
function checkDigestGone({ objects }: LedgerState, { method, path, body }: Passing): void {
  const [, id] = /^\/oauth-clients\/([^/]+)$/u.exec(path) ?? [];
  if (method !== 'PATCH' || id === undefined) return;
  const { attributes = {} } = (body as Partial<ClientBody>).data ?? {};
  const { digests = {} } = Object.values(objects).find((one) => one.id === id) ?? {};
  for (const [attribute, field] of Object.entries(secretAttributes)) {
    if (attributes[attribute] === undefined || digests[field] === undefined) continue;
    throw new Broken('the digest of a secret leaves the ledger before its PATCH', `${id} ${field}`);
  }
}

interface ClientBody {
  readonly data: { readonly attributes: Readonly<Record<string, unknown>> };
}

/** Checks what the ledger must have before a request of an apply: RULES.md, "Order" and RULES.md, "Secrets". */
export function checkAnnounced(course: Course, passing: Passing): void {
  checkDigestGone(course.ledger(), passing);
  if (!isCreate(passing)) return;
  const { attributes } = (passing.body as ClientBody).data;
  const isIt = ({ values }: PendingCreate): boolean =>
    values.serviceProvider === attributes['service-provider'] &&
    values.httpUrl === attributes['http-url'] &&
    values.apiUrl === attributes['api-url'];
  if (Object.values(course.ledger().pending).some(isIt)) return;
  throw new Broken('a create is in the ledger before its POST', JSON.stringify(attributes['http-url']));
}

/** Checks that each client has one POST. Only a 429 may be sent again. */
function checkOnePost({ sent, steps }: Run): void {
  const counts = new Map<string, number>();
  const count = (values: Readonly<Record<string, unknown>>, names: readonly string[], by: number): void => {
    const key = names.map((name) => String(values[name])).join(' ');
    counts.set(key, (counts.get(key) ?? 0) + by);
  };
  for (const { kind, action, inputs = {} } of steps) {
    const isMade = kind === 'OAuthClient' && (action === 'create' || action === 'replace');
    if (isMade) count(inputs, ['serviceProvider', 'httpUrl', 'apiUrl'], -1);
  }
  for (const one of sent) {
    if (!isCreate(one) || one.status === 429 || one.answered === 429) continue;
    count((one.body as ClientBody).data.attributes, ['service-provider', 'http-url', 'api-url'], 1);
  }
  const twice = [...counts].flatMap(([key, left]) => (left > 0 ? [`${key}: ${left} too many`] : []));
  if (twice.length > 0) throw new Broken('a client is created by one POST in a run', twice.join('\n'));
}

/** Checks that every DELETE belongs to a step. */
function checkDeletes({ sent, steps }: Run): void {
  const ids = new Set(
    steps.flatMap(({ action, objectId }) => (['delete', 'replace'].includes(action) ? [objectId] : [])),
  );
  const links = new Set(steps.flatMap(({ action, key }) => (action === 'delete' ? [key.join('/')] : [])));
  const strange = sent.flatMap(({ method, path, body }) => {
    if (method !== 'DELETE') return [];
    const [, section, id = '', part] = path.split('/');
    if (section !== 'oauth-clients' || part === undefined) return ids.has(id) ? [] : [path];
    const { data } = body as { data: readonly { id: string }[] };
    return data.flatMap((one) =>
      links.has(`ProjectAttachment/${id}/${one.id}`) ? [] : [`${path} ${one.id}`],
    );
  });
  if (strange.length > 0) throw new Broken('only what the plan deletes is deleted', strange.join('\n'));
}

/** Checks that a client is read again before each PATCH and DELETE. */
function checkLooks({ sent }: Run): void {
  const seen = new Set<string>();
  for (const { method, path } of sent) {
    const id = /^\/oauth-clients\/([^/]+)$/u.exec(path)?.[1];
    if (id === undefined) continue;
    if (method === 'GET') seen.add(id);
    else if (!seen.has(id)) throw new Broken('a client is read before its write', `${method} ${path}`);
  }
}

/** Checks that nothing is written to a client of which the answers do not show what it has. */
function checkUnseen({ sent, lacks, before }: Run): void {
  for (const { method, path, body } of sent) {
    const [, section, id = '', part] = path.split('/');
    if (method === 'GET' || section !== 'oauth-clients' || !before.clients.has(id)) continue;
    const { attributes = {} } = (body as Partial<ClientBody> | undefined)?.data ?? {};
    const isScope = lacks.has('organizationScoped') && attributes['organization-scoped'] !== undefined;
    if (isScope || (lacks.has('projects') && part === 'relationships')) {
      throw new Broken('what no answer shows is not written', `${method} ${path}`);
    }
  }
}

const clientIds = ({ objects }: LedgerState): Set<string> =>
  new Set(
    Object.entries(objects).flatMap(([key, { id = [], retiring = [] }]) =>
      key.startsWith('OAuthClient/') ? [id, retiring].flat() : [],
    ),
  );

function isMadeBy(
  { values }: PendingCreate,
  { serviceProvider, httpUrl, apiUrl, name }: RealClient,
): boolean {
  return isDeepStrictEqual(
    [values.serviceProvider, values.httpUrl, values.apiUrl, values.name ?? null],
    [serviceProvider, httpUrl, apiUrl, name],
  );
}

/** Checks that each new object is in the ledger or may be pending, and that no object exists twice. */
function checkMade({ before, after, ledger, steps, strangers, isLate }: Run): void {
  const known = clientIds(ledger);
  const made = [...after.clients.values()].filter(({ id }) => !before.clients.has(id) && !strangers.has(id));
  const creates = steps.filter(
    ({ kind, action }) => kind === 'OAuthClient' && /create|replace/u.test(action),
  );
  if (made.length > creates.length) {
    throw new Broken('no client is made twice', made.map(({ id, name }) => `${id} ${name}`).join('\n'));
  }
  const pending = Object.values(ledger.pending);
  const lost = made.filter((one) => !known.has(one.id) && !pending.some((entry) => isMadeBy(entry, one)));
  if (lost.length > 0) {
    throw new Broken(
      'the ledger knows what was made',
      lost.map(({ id, name }) => `${id} ${name}`).join('\n'),
    );
  }
  const pairs = after.triggers
    .filter(({ id }) => !before.triggers.some((trigger) => trigger.id === id) && !strangers.has(id))
    .map(({ target, source }) => `RunTrigger/${target}/${source}`);
  const twice = isLate ? [] : pairs.filter((pair, at) => pairs.indexOf(pair) !== at);
  const links = new Set(
    steps.flatMap(({ kind, action, key }) =>
      kind === 'RunTrigger' && action === 'create' ? [key.join('/')] : [],
    ),
  );
  const unasked = pairs.filter((pair) => !links.has(pair));
  if (twice.length + unasked.length > 0) {
    throw new Broken('no trigger is made twice or unasked', [...twice, ...unasked].join('\n'));
  }
}

/** Checks that managed objects that still exist stay managed, unless a line forgets them. */
function checkKept({ after, ledgerBefore, ledger, steps }: Run): void {
  const known = clientIds(ledger);
  const forgotten = new Set(
    steps.flatMap(({ action, address, objectId }) => (action === 'forget' ? [address, objectId] : [])),
  );
  const lost: string[] = [];
  const gone = new Set<string>();
  for (const [key, { id = '', retiring = [] }] of Object.entries(ledgerBefore.objects)) {
    if (!key.startsWith('OAuthClient/')) continue;
    for (const one of [id, ...retiring]) {
      if (known.has(one)) continue;
      gone.add(one);
      const isLost = after.clients.has(one) && !forgotten.has(key) && !forgotten.has(one);
      if (isLost) lost.push(`${key} ${one}`);
    }
  }
  for (const [key, { id }] of Object.entries(ledgerBefore.objects)) {
    const [kind, one = '', other = ''] = key.split('/');
    if (ledger.objects[key] !== undefined || kind === 'OAuthClient') continue;
    const isThere =
      kind === 'RunTrigger'
        ? after.triggers.some((trigger) => trigger.id === id)
        : after.clients.get(one)?.projects.includes(other) === true && !gone.has(one);
    const isForgotten = steps.some((step) => step.action === 'forget' && step.key.join('/') === key);
    // The attachment of a replaced client is now that of its successor.
    const isMoved = steps.some((step) => step.action === 'move' && step.from === key);
    if (isThere && !isForgotten && !isMoved) lost.push(key);
  }
  if (lost.length > 0) throw new Broken('what is managed stays managed', lost.join('\n'));
}

export function checkTruth(run: Run): void {
  checkOnePost(run);
  checkDeletes(run);
  checkLooks(run);
  checkUnseen(run);
  checkMade(run);
  checkKept(run);
}
