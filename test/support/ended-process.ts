/** The number of a process that was there and is gone. */
import { spawnSync } from 'node:child_process';
import { execPath } from 'node:process';

export function endedProcess(): number {
  return spawnSync(execPath, ['-e', '']).pid;
}
