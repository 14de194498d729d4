/** Makes an apply fail at a chosen request or save, in a chosen way: RULES.md, "Any run". */
import { isDeepStrictEqual } from 'node:util';
import type { Deed, Trouble, Which } from './actions';
import { Broken, unhandled } from './broken';
import type { Course } from './course';
import type { Interference, Passing, Sent, Treatment } from './gateway';
import { makeTool } from './library-tool';
import { type HidableField, type RealClient, type Reality, shownOf } from './reality';
import type { Applied } from './tool';

/** Trouble that is in progress. */
export interface Armed {
  /** Runs after the apply. Throws `Broken`. */
  settle(): Promise<void>;
  /** Ids of clients and triggers that somebody else made meanwhile. */
  readonly strangers: ReadonlySet<string>;
}

const pass: Treatment = { do: 'pass' };

function isThat(which: Which, { method, path }: Passing): boolean {
  if (which === 'request') return true;
  if (which === 'write') return method !== 'GET';
  return method === 'POST' && path.startsWith('/organizations/');
}

/** Counts matching requests. Returns true for `times` of them, from the nth on. */
function counter(which: Which, nth: number, times = 1): (passing: Passing) => boolean {
  let seen = 0;
  return (passing) => {
    if (!isThat(which, passing)) return false;
    seen += 1;
    return seen >= nth && seen < nth + times;
  };
}

function idsOf({ site }: Course): Set<string> {
  const { clients, triggers } = site.reality();
  return new Set([...clients.keys(), ...triggers.map(({ id }) => id)]);
}

/** Kills at a request, or around a save of the ledger. */
function armKill(course: Course, { at, nth, done }: Extract<Trouble, { trouble: 'kill' }>): Interference {
  const kill = (): void => course.tool.kill();
  if (at === 'save') {
    let saves = 0;
    course.onSave = (when) => {
      if (when === 'before') saves += 1;
      if (saves === nth && when === (done ? 'after' : 'before')) kill();
    };
    return () => pass;
  }
  const isIt = counter(at, nth);
  return (passing) => {
    if (!isIt(passing)) return pass;
    if (done) return { do: 'lose', afterwards: kill };
    kill();
    return { do: 'reset' };
  };
}

const isList = ({ method, path }: Sent): boolean =>
  method === 'GET' && /^\/organizations\/[^/]+\/oauth-clients$/u.test(path);

function isListed({ answer }: Sent, id: string): boolean {
  const { data = [] } = (answer ?? {}) as { data?: readonly { readonly id: string }[] };
  return data.some((client) => client.id === id);
}

/** Checks that the tool does not write to an object that it saw changed since the plan. */
function checkStale(sent: readonly Sent[], at: number, id: string): void {
  const later = sent.filter((one) => one.nth > at);
  const earlier = sent.filter((one) => one.nth <= at);
  // Where the list lacks it, the plan is made from a Show, and that may come later.
  const isPlanned = earlier.some((one) => isList(one) && isListed(one, id));
  const isShown = earlier.some((one) => one.path.startsWith(`/oauth-clients/${id}`));
  if (!isPlanned || isShown || later.some(isList)) return;
  const shown = later.findIndex(
    (one) => one.method === 'GET' && one.path === `/oauth-clients/${id}` && one.status === 200,
  );
  const write = later.findIndex(
    (one) => /PATCH|DELETE/u.test(one.method) && one.path === `/oauth-clients/${id}`,
  );
  if (shown < 0 || write < shown) return;
  throw new Broken('a client that somebody changed is not written', `${later[write]?.method} ${id}`);
}

/** Checks that nothing is written that a user who sees the plan did not agree to. */
function checkQuestion(sent: readonly Sent[], changed: readonly string[], made: readonly RealClient[]): void {
  for (const { method, path, body } of sent) {
    const [, id = ''] = /^\/oauth-clients\/([^/]+)$/u.exec(path) ?? [];
    if (/PATCH|DELETE/u.test(method) && changed.includes(id)) {
      throw new Broken('a client that changed during the question is not written', `${method} ${id}`);
    }
    if (method !== 'POST' || !path.startsWith('/organizations/')) continue;
    const { attributes } = (body as { data: { attributes: Record<string, unknown> } }).data;
    const sends = [attributes['service-provider'], attributes['http-url'], attributes['api-url']];
    const equal = made.find(({ serviceProvider, httpUrl, apiUrl, name }) =>
      isDeepStrictEqual([serviceProvider, httpUrl, apiUrl, name], [...sends, attributes.name ?? null]),
    );
    if (equal === undefined) continue;
    throw new Broken('a client is not created beside one that was made during the question', equal.id);
  }
}

function armQuestion(course: Course, deed: Deed, strangers: Set<string>) {
  const { gateway } = course.site;
  let asked: number | undefined;
  let changed: string[] = [];
  let made: RealClient[] = [];
  course.onQuestion = async () => {
    const before = course.site.reality();
    const ids = idsOf(course);
    await course.perform({ do: 'by-hand', deed });
    asked = gateway.sent.length;
    const after = course.site.reality();
    for (const id of idsOf(course)) if (!ids.has(id)) strangers.add(id);
    changed = changedClients(course, before, after);
    made = [...after.clients.values()].filter(({ id }) => !before.clients.has(id));
  };
  return async (): Promise<void> => {
    course.onQuestion = async () => undefined;
    // A list that lags does not show what was made.
    if (asked !== undefined)
      checkQuestion(gateway.sent.slice(asked), changed, course.site.isLate ? [] : made);
  };
}

/** Returns the ids of clients whose own fields differ, as far as answers show them. Projects are links. */
function changedClients({ site }: Course, before: Reality, after: Reality): string[] {
  const lacks = new Set<HidableField>([...site.gateway.lacks, 'projects']);
  return [...before.clients].flatMap(([id, client]) => {
    const now = after.clients.get(id);
    const isSame = now !== undefined && isDeepStrictEqual(shownOf(client, lacks), shownOf(now, lacks));
    return isSame ? [] : [id];
  });
}

function armDeed(course: Course, nth: number, deed: Deed, strangers: Set<string>) {
  const { gateway } = course.site;
  const isIt = counter('request', nth);
  let changed: string[] = [];
  let last = 0;
  gateway.interfere = async (passing) => {
    if (!isIt(passing)) return pass;
    // A list that is answered after the deed shows what the deed changed.
    const isListed = gateway.sent.some((one) => isList(one) && one.status === 200);
    const before = course.site.reality();
    const ids = idsOf(course);
    await course.perform({ do: 'by-hand', deed });
    // Requests that arrived during the deed may have been answered before it.
    last = gateway.sent.length;
    const after = course.site.reality();
    for (const id of idsOf(course)) if (!ids.has(id)) strangers.add(id);
    changed = isListed ? changedClients(course, before, after) : [];
    return pass;
  };
  return async (): Promise<void> => {
    for (const id of changed) checkStale(gateway.sent, last, id);
  };
}

/** The second of two runs finds the lock. */
function armSecond(course: Course, nth: number) {
  const isIt = counter('request', nth);
  let second: Applied | undefined;
  course.site.gateway.interfere = async (passing) => {
    if (isIt(passing)) second = await makeTool(course).apply();
    return pass;
  };
  return async (): Promise<void> => {
    if (second === undefined || second.state === 'refused') return;
    throw new Broken('the second of two runs is refused', second.text);
  };
}

/** Prepares the trouble for the next apply. */
export function arm(course: Course, trouble: Trouble): Armed {
  const { gateway } = course.site;
  const strangers = new Set<string>();
  let settle = async (): Promise<void> => undefined;
  switch (trouble.trouble) {
    case 'kill':
      gateway.interfere = armKill(course, trouble);
      break;
    case 'treat': {
      const isIt = counter(trouble.which, trouble.nth, trouble.times);
      gateway.interfere = (passing) => (isIt(passing) ? trouble.treatment : pass);
      settle = async () => (trouble.late ? undefined : gateway.release());
      break;
    }
    case 'interrupt': {
      const isIt = counter(trouble.which, trouble.nth);
      gateway.interfere = (passing) => {
        if (isIt(passing)) course.tool.interrupt();
        return pass;
      };
      break;
    }
    case 'rights':
      gateway.interfere = ({ nth }) => {
        if (nth === trouble.from) gateway.rights = trouble.rights;
        if (nth === trouble.until) gateway.rights = 'owner';
        return pass;
      };
      settle = async () => {
        gateway.rights = 'owner';
      };
      break;
    case 'deed':
      settle =
        trouble.nth === 'question'
          ? armQuestion(course, trouble.deed, strangers)
          : armDeed(course, trouble.nth, trouble.deed, strangers);
      break;
    case 'second-run':
      settle = armSecond(course, trouble.nth);
      break;
    default:
      throw unhandled(trouble);
  }
  return {
    strangers,
    settle: async () => {
      // Requests that a killed run had sent are still executed.
      await gateway.idle();
      gateway.interfere = undefined;
      course.onSave = () => undefined;
      await settle();
    },
  };
}
