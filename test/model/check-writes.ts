/** Holds the requests of an apply against its plan: nothing was sent that the plan does not say, and all that it says. */

import { Broken } from './broken';
import { subjectOf } from './check-plan';
import type { Sent } from './gateway';
import { clientAt, type Folder } from './manifests';
import type { LedgerState, PlannedStep } from './outcome';
import type { Reality } from './reality';

interface Covered {
  /** Steps that some write belongs to, by id. */
  readonly steps: Set<string>;
  readonly strays: string[];
}

const describe = ({ method, path, body }: Sent): string =>
  `${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;

const idsIn = (body: unknown): string[] =>
  ((body as { data?: { id: string }[] } | undefined)?.data ?? []).map(({ id }) => id);

const projectsIn = (body: unknown): string[] =>
  idsIn(
    (body as { data?: { relationships?: { projects?: unknown } } } | undefined)?.data?.relationships
      ?.projects,
  );

function createdBy({ answer }: Sent): string | undefined {
  return (answer as { data?: { id?: string } } | undefined)?.data?.id;
}

/** Whether an id was that client's: by its `id:` line, by one of the ledgers, or by a temporary name that one of them waits for. */
export function ownership(
  folder: Folder,
  ledgers: readonly LedgerState[],
  before: Reality,
): (id: string, name: string) => boolean {
  const nonces = new Set(ledgers.flatMap(({ pending }) => Object.values(pending).map(({ nonce }) => nonce)));
  return (id, name) =>
    clientAt(folder, name)?.entry.id === id ||
    ledgers.some(({ objects }) => objects[`OAuthClient/${name}`]?.id === id) ||
    nonces.has(before.clients.get(id)?.name ?? '');
}

/** Finds the steps of each write. */
function cover(
  folder: Folder,
  steps: readonly PlannedStep[],
  writes: readonly Sent[],
  isClient: (id: string, name: string) => boolean,
): Covered {
  const covered: Covered = { steps: new Set(), strays: [] };
  /** With the projects that it was created with. */
  const made = new Map<string, string[]>();
  const take = (sent: Sent, what: string, matches: (step: PlannedStep) => boolean): void => {
    const found = steps.filter(matches);
    if (found.length === 0) covered.strays.push(`${describe(sent)} (${what})`);
    for (const { id } of found) covered.steps.add(id);
  };
  // A create that was begun earlier goes on with what is there, or does it away and begins again.
  const takesUp = (step: PlannedStep, id: string): boolean =>
    step.kind === 'OAuthClient' &&
    ['create', 'replace'].includes(step.action) &&
    isClient(id, step.address.replace('OAuthClient/', ''));
  const attachment = (sent: Sent, action: string, client: string, project: string): void =>
    take(sent, `${action} of ${client}/${project}`, (step) => {
      if (step.kind !== 'ProjectAttachment' || step.action !== action) return false;
      if (step.objectId !== undefined) return step.objectId === `${client}/${project}`;
      const [, name = '', to = ''] = subjectOf(folder, step.address).split('/');
      return to === project && (name === client || isClient(client, name));
    });
  for (const sent of writes) {
    const { method, path, body } = sent;
    const [, kind = '', id = '', relation] = path.split('/');
    if (method === 'POST' && kind === 'organizations') {
      const id = createdBy(sent);
      if (id !== undefined) made.set(id, projectsIn(body));
      take(
        sent,
        'create of a client',
        (step) => step.kind === 'OAuthClient' && ['create', 'replace'].includes(step.action),
      );
    } else if (kind === 'oauth-clients' && relation !== undefined) {
      for (const project of idsIn(body))
        attachment(sent, method === 'POST' ? 'create' : 'delete', id, project);
    } else if (method === 'PATCH') {
      const carried = made.get(id);
      // A new client gets its projects with its name.
      for (const project of carried === undefined ? [] : projectsIn(body))
        if (!carried?.includes(project)) attachment(sent, 'create', id, project);
      if (carried === undefined)
        take(
          sent,
          'update',
          (step) =>
            (step.objectId === id && ['update', 'adopt', 'replace'].includes(step.action)) ||
            takesUp(step, id),
        );
    } else if (kind === 'oauth-clients') {
      take(
        sent,
        'destroy',
        (step) => (step.objectId === id && ['delete', 'cleanup'].includes(step.action)) || takesUp(step, id),
      );
    } else if (method === 'DELETE') {
      take(sent, 'delete', (step) => step.objectId === id && step.action === 'delete');
    } else {
      const source = (body as { data: { relationships: { sourceable: { data: { id: string } } } } }).data
        .relationships;
      const subject = `RunTrigger/${id}/${source.sourceable.data.id}`;
      take(sent, 'create', (step) => step.action === 'create' && subjectOf(folder, step.address) === subject);
    }
  }
  return covered;
}

/** Nothing leaves that no step of the plan stands for. */
export function checkNoStrays(
  folder: Folder,
  steps: readonly PlannedStep[],
  writes: readonly Sent[],
  isClient: (id: string, name: string) => boolean,
): void {
  const { strays } = cover(folder, steps, writes, isClient);
  if (strays.length > 0) throw new Broken('apply: a write that no step stands for', strays.join('\n'));
}

/** And everything that the plan says was sent. */
export function checkAllSent(
  folder: Folder,
  steps: readonly PlannedStep[],
  writes: readonly Sent[],
  isClient: (id: string, name: string) => boolean,
): void {
  const covered = cover(folder, steps, writes, isClient).steps;
  const writing = steps.filter(({ action, changes }) => {
    if (action === 'update') return changes.some(({ field }) => field !== 'protect');
    return ['create', 'replace', 'delete'].includes(action);
  });
  const silent = writing.filter(({ id }) => !covered.has(id));
  if (silent.length > 0)
    throw new Broken('apply: a step without a write', silent.map(({ id }) => id).join('\n'));
}
