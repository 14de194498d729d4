/** Makes an apply go wrong: at a chosen request or line of the journal, in a chosen way. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Trouble, Which } from './actions';
import { Broken } from './broken';
import type { Course } from './course';
import { Gateway, type Passing, type Treatment } from './gateway';
import type { Applied } from './outcome';

/** Trouble that is under way. */
export interface Armed {
  /** Called around each line of the journal. */
  onJournal(when: 'before' | 'after'): void;
  /** After the apply: what is to happen once it is over. */
  settle(): Promise<void>;
  /** Ids of clients and triggers that somebody else made meanwhile. */
  readonly strangers: ReadonlySet<string>;
  /** Whether it came to pass. */
  met(): boolean;
}

const pass: Treatment = { do: 'pass' };

function isThat(which: Which, { method, path }: Passing): boolean {
  if (which === 'request') return true;
  if (which === 'write') return method !== 'GET';
  return method === 'POST' && path.startsWith('/organizations/');
}

/** Whether a trouble came to pass: an apply may end before. */
interface Hit {
  met: boolean;
}

/** Counts the requests that are meant; true from the nth on, so many times. */
function counter(hit: Hit, which: Which, nth: number, times = 1): (passing: Passing) => boolean {
  let seen = 0;
  return (passing) => {
    if (!isThat(which, passing)) return false;
    seen += 1;
    const isIt = seen >= nth && seen < nth + times;
    hit.met ||= isIt;
    return isIt;
  };
}

/** The journal as a machine leaves it that lost its power: without the end of its last line. */
function tear(course: Course, bytes: number): void {
  const file = join(course.site.folder, 'tether.ledger.json.journal');
  if (!existsSync(file)) return;
  const text = readFileSync(file);
  const start = text.lastIndexOf(0x0a, text.length - 2) + 1;
  const last = text.length - start;
  truncateSync(file, text.length - Math.min(bytes, Math.max(0, last - 1)));
}

function armKill(course: Course, trouble: Extract<Trouble, { trouble: 'kill' }>, hit: Hit): Armed {
  const { site, tool } = course;
  const kill = (): void => tool.kill();
  let lines = 0;
  // Nobody sees the journal of another process grow: it is killed at a write.
  const at = trouble.at === 'journal' && !tool.showsJournal ? 'write' : trouble.at;
  if (at !== 'journal') {
    const isIt = counter(hit, at, trouble.nth);
    site.gateway.interfere = (passing) => {
      if (!isIt(passing)) return pass;
      if (trouble.done) return { do: 'lose', afterwards: kill };
      kill();
      return { do: 'reset' };
    };
  }
  return {
    onJournal: (when) => {
      if (at !== 'journal') return;
      if (when === 'before') lines += 1;
      if (lines === trouble.nth && when === (trouble.done ? 'after' : 'before')) {
        hit.met = true;
        kill();
      }
    },
    // Only a line that nobody was told of can be torn.
    settle: async () => {
      if (at === 'journal' && trouble.done && lines === trouble.nth) tear(course, trouble.torn ?? 0);
    },
    strangers: new Set(),
    met: () => hit.met,
  };
}

/** Applies a clone of the folder to its end, past the gateway; what it makes is a stranger's. */
async function applyClone(course: Course, withLedger: boolean, strangers: Set<string>): Promise<void> {
  const { site } = course;
  const folder = join(site.place, `clone-${strangers.size}-${Date.now()}`, 'infra');
  mkdirSync(folder, { recursive: true });
  cpSync(site.folder, folder, { recursive: true, filter: (from) => !/\.journal$|\.lock/u.test(from) });
  if (!withLedger) rmSync(join(folder, 'tether.ledger.json'), { force: true });
  const before = idsOf(course);
  const gateway = await Gateway.open(site.service.url);
  try {
    await course.makeTool(course, { folder, address: gateway.url }).apply();
  } finally {
    await gateway.close();
  }
  for (const id of idsOf(course)) if (!before.has(id)) strangers.add(id);
}

function idsOf({ site }: Course): Set<string> {
  const { clients, triggers } = site.reality();
  return new Set([...clients.keys(), ...triggers.map(({ id }) => id)]);
}

/** Puts the trouble into the way of the apply that comes. */
export function arm(course: Course, trouble: Trouble): Armed {
  const { site, tool } = course;
  const { gateway } = site;
  const strangers = new Set<string>();
  const hit: Hit = { met: false };
  const quiet = {
    onJournal: () => undefined,
    settle: async () => undefined,
    strangers,
    met: () => hit.met,
  };
  switch (trouble.trouble) {
    case 'kill':
      return armKill(course, trouble, hit);
    case 'treat': {
      const isIt = counter(hit, trouble.which, trouble.nth, trouble.times);
      gateway.interfere = (passing) => (isIt(passing) ? trouble.treatment : pass);
      return { ...quiet, settle: async () => (trouble.late ? undefined : gateway.release()) };
    }
    case 'listed-id': {
      const isIt = counter(hit, 'create-client', 1);
      gateway.interfere = async (passing) => {
        if (!isIt(passing)) return pass;
        return { do: 'answer', status: 201, body: await site.call('GET', `/oauth-clients/${trouble.id}`) };
      };
      return quiet;
    }
    case 'other-values': {
      const isIt = counter(hit, 'create-client', 1);
      gateway.interfere = (passing) => {
        if (!isIt(passing)) return pass;
        const { data } = passing.body as { data: { attributes: object } };
        return {
          do: 'change',
          body: { data: { ...data, attributes: { ...data.attributes, ...trouble.attributes } } },
        };
      };
      return quiet;
    }
    case 'interrupt': {
      const isIt = counter(hit, trouble.which, trouble.nth);
      gateway.interfere = (passing) => {
        if (isIt(passing)) tool.interrupt();
        return pass;
      };
      return quiet;
    }
    case 'rights': {
      gateway.interfere = ({ nth }) => {
        if (nth === trouble.from) {
          gateway.rights = trouble.rights;
          hit.met = true;
        }
        if (nth === trouble.until) gateway.rights = 'owner';
        return pass;
      };
      const settle = async (): Promise<void> => {
        gateway.rights = 'owner';
      };
      return { ...quiet, settle };
    }
    case 'deed': {
      const isIt = counter(hit, 'request', trouble.nth);
      gateway.interfere = async (passing) => {
        if (!isIt(passing)) return pass;
        const before = idsOf(course);
        await course.perform({ do: 'by-hand', deed: trouble.deed });
        for (const id of idsOf(course)) if (!before.has(id)) strangers.add(id);
        return pass;
      };
      return quiet;
    }
    case 'second-run': {
      const isIt = counter(hit, 'request', trouble.nth);
      let second: Applied | undefined;
      gateway.interfere = async (passing) => {
        if (!isIt(passing)) return pass;
        second = await course.makeTool(course).apply();
        return pass;
      };
      const settle = async (): Promise<void> => {
        if (second === undefined || (second.state === 'refused' && second.exit === 1)) return;
        throw new Broken('the second of two runs is refused', second.text);
      };
      return { ...quiet, settle };
    }
    case 'other-clone': {
      const isIt = counter(hit, 'request', trouble.nth);
      gateway.interfere = async (passing) => {
        if (isIt(passing)) await applyClone(course, trouble.withLedger, strangers);
        return pass;
      };
      return quiet;
    }
  }
}
