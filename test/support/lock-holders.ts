/** Forged locks: of this machine and container unless a test says otherwise. */
import { ppid } from 'node:process';
import type { LockHolder } from '../../reconciler/ledger/ledger';
import { thisHolder } from '../../reconciler/ledger/lock';
import { at } from './ledger-samples';

/** By default a process that runs: the one that started this. */
export function holderWith(members: Partial<LockHolder> = {}): LockHolder {
  const own = thisHolder('tether apply', Date.parse(at));
  return { ...own, pid: ppid, started: null, token: '0123456789abcdef', ...members };
}
