import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeThrown } from '../../shared/rpc/result.ts';
import { processIdentityOf } from '../../system/process-identity.ts';
import { copyPrefix, removeStaleCopies } from '../../trace/sqlite/copy-owner.ts';

/**
 * Each trace process has a folder of its own for private copies, named as this host's. The host
 * removes it when the process has ended, since one that was killed can't.
 */
export function scratchFolderOf(parent: string, traceId: string): string {
  return join(parent, `${copyPrefix(processIdentityOf(process.pid))}${traceId}`);
}

export async function removeScratch(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (thrown) {
    sayKept(folder, thrown);
  }
}

/** Removes what hosts left that were killed themselves. */
export function removeStaleScratch(parent: string): void {
  try {
    if (existsSync(parent)) removeStaleCopies(parent);
  } catch (thrown) {
    sayKept(parent, thrown);
  }
}

function sayKept(folder: string, thrown: unknown): void {
  console.error(`The scratch folder ${folder} could not be removed: ${describeThrown(thrown)}`);
}
