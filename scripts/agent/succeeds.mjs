import { spawnSync } from 'node:child_process';

/** Whether a command ends well. What it prints goes to standard error: others read our output. */
export function succeeds(command, args, options) {
  return spawnSync(command, args, { stdio: ['ignore', 2, 'inherit'], ...options }).status === 0;
}
