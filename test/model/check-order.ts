/** Checks the order of an apply's writes, from its requests and the results of its steps: RULES.md, "Order". */
import { Broken } from './broken';
import type { Sent } from './gateway';
import type { Situation } from './situation';
import type { Applied, PlannedStep } from './tool';

/** A create or a delete of a link in one request, with its two ends. */
interface LinkWrite {
  readonly does: 'create' | 'delete';
  readonly kind: string;
  readonly ends: readonly string[];
  readonly nth: number;
}

/** Returns the links that a request writes. A trigger's ends are those of its step, because a DELETE has only its id. */
function linkWrites({ method, path, body, nth }: Sent, steps: readonly PlannedStep[]): LinkWrite[] {
  const [, section, id = '', part, relation] = path.split('/');
  if (section === 'workspaces' && method === 'POST' && part === 'run-triggers') {
    const { data } = body as { data: { relationships: { sourceable: { data: { id: string } } } } };
    const source = data.relationships.sourceable.data.id;
    return [{ does: 'create', kind: 'RunTrigger', ends: [`target ${id}`, `source ${source}`], nth }];
  }
  if (section === 'run-triggers' && method === 'DELETE') {
    const step = steps.find(({ action, objectId }) => action === 'delete' && objectId === id);
    const [kind = '', target = '', source = ''] = step?.key ?? [];
    return [{ does: 'delete', kind, ends: [`target ${target}`, `source ${source}`], nth }];
  }
  if (section !== 'oauth-clients' || part !== 'relationships' || relation !== 'projects') return [];
  const { data } = body as { data: readonly { id: string }[] };
  const does = method === 'POST' ? 'create' : 'delete';
  return data.map((one) => ({
    does,
    kind: 'ProjectAttachment',
    ends: [`client ${id}`, `project ${one.id}`],
    nth,
  }));
}

/** A link is deleted after the creates of links with a common end. A target with a limit may need the room. */
function checkLinksAfterCreates(
  { profile }: Situation,
  sent: readonly Sent[],
  steps: readonly PlannedStep[],
): void {
  const writes = sent.flatMap((one) => linkWrites(one, steps));
  for (const gone of writes) {
    if (gone.does !== 'delete' || (gone.kind === 'RunTrigger' && profile !== 'default')) continue;
    const late = writes.find(
      ({ does, kind, ends, nth }) =>
        does === 'create' &&
        kind === gone.kind &&
        nth > gone.nth &&
        ends.some((end) => gone.ends.includes(end)),
    );
    if (late === undefined) continue;
    throw new Broken(
      'a link is deleted after creates with a common end',
      `${gone.kind} ${gone.ends.join(' ')} before ${late.ends.join(' ')}`,
    );
  }
}

/** A trigger of an exact set stays if the create of a new member of that set failed. */
function checkSetsStay({ desired, profile }: Situation, sent: readonly Sent[], applied: Applied): void {
  if (profile !== 'default') return;
  const { steps, results = [] } = applied;
  const failed = steps.filter(
    ({ id, kind, action }) =>
      kind === 'RunTrigger' &&
      action === 'create' &&
      results.some(({ step, status }) => step === id && status !== 'done'),
  );
  for (const { key } of failed) {
    const [, target = '', source = ''] = key;
    const gone = sent
      .flatMap((one) => linkWrites(one, steps))
      .filter(({ does, kind }) => does === 'delete' && kind === 'RunTrigger');
    const lost = gone.find(
      ({ ends }) =>
        (desired.inSets.has(target) && ends.includes(`target ${target}`)) ||
        (desired.outSets.has(source) && ends.includes(`source ${source}`)),
    );
    if (lost === undefined) continue;
    throw new Broken(
      'a set keeps its links if a new member failed',
      `${key.join('/')}: ${lost.ends.join(' ')}`,
    );
  }
}

const clientPath = /^\/oauth-clients\/([^/]+)$/u;

/** Clients are deleted after all other writes, and only if every create of a client succeeded. */
function checkClientsLast(sent: readonly Sent[], { steps, results = [] }: Applied): void {
  const writes = sent.filter(({ method }) => method !== 'GET');
  const isDelete = ({ method, path }: Sent): boolean => method === 'DELETE' && clientPath.test(path);
  const first = writes.findIndex(isDelete);
  if (first < 0) return;
  const late = writes.slice(first).find((write) => !isDelete(write));
  if (late !== undefined) {
    throw new Broken(
      'clients are deleted after everything else',
      `${writes[first]?.path} before ${late.method} ${late.path}`,
    );
  }
  const failed = steps.find(
    ({ id, kind, action }) =>
      kind === 'OAuthClient' &&
      (action === 'create' || action === 'replace') &&
      results.some(({ step, status }) => step === id && status !== 'done'),
  );
  if (failed === undefined) return;
  throw new Broken('no client is deleted if a create failed', `${writes[first]?.path} beside ${failed.id}`);
}

/** Throws `Broken`. */
export function checkOrder(situation: Situation, sent: readonly Sent[], applied: Applied): void {
  checkClientsLast(sent, applied);
  checkLinksAfterCreates(situation, sent, applied.steps);
  checkSetsStay(situation, sent, applied);
}
