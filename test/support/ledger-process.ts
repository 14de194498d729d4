/** A process that works on a ledger file, for tests of what other processes, an exit and a kill leave. Arguments: folder, job, number. */
import fs from 'node:fs';
import promises from 'node:fs/promises';
import { argv, kill, pid } from 'node:process';
import { FileStore } from '../../reconciler/ledger/file-store';
import { homeTimes } from '../../reconciler/ledger/home';
import { emptyLedger, nextSerial } from '../../reconciler/ledger/ledger';
import { renderLock } from '../../reconciler/ledger/store';

const [folder = '', job = '', number = '0'] = argv.slice(2);
const store = new FileStore({ folder, organization: 'acme', cwd: folder });

async function saveOnce(): Promise<void> {
  await store.lock({ who: `process ${pid}` }, 60_000);
  const before = await store.read();
  await store.save(nextSerial(before ?? emptyLedger('acme'), 'https://app.example.com/api/v2'), before);
  await store.unlock();
}

/** Kills this process before that call on files; a write is cut in half. */
function dieAt(last: number): void {
  let calls = 0;
  const patch = (module: object, name: string): void => {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== 'function') throw new Error(`there is no ${name}`);
    Reflect.set(module, name, (...values: unknown[]): unknown => {
      if (calls === last) {
        const [path, text] = values;
        if (/^write/.test(name)) Reflect.apply(writeFileSync, fs, [path, String(text).slice(0, 60)]);
        kill(pid, 'SIGKILL');
      }
      calls += 1;
      return Reflect.apply(original, module, values);
    });
  };
  const { writeFileSync } = fs;
  for (const name of ['writeFile', 'rename', 'open', 'rm', 'readdir']) patch(promises, name);
  for (const name of ['mkdir', 'rmdir', 'utimes', 'rmSync', 'writeFileSync']) patch(fs, name);
}

const jobs: Readonly<Record<string, () => Promise<void>>> = {
  die: async () => {
    dieAt(Number(number));
    await saveOnce();
  },
  count: async () => {
    homeTimes.poll = 1;
    for (let round = 0; round < Number(number); round += 1) await saveOnce();
  },
  exit: () => store.lock({ who: 'one that exits' }, 0),
  'exit robbed': async () => {
    await store.lock({ who: 'one that exits' }, 0);
    const robber = renderLock({ id: '0123abcd', who: 'another', since: '' });
    fs.writeFileSync(`${folder}/tether.ledger.json.lock.json`, robber);
  },
};

void jobs[job]?.();
