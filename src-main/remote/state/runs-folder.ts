import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../../system/errno.ts';

/** Where captures that are not done with are kept: a folder each. */
export const runsFolder = (folder: string) => join(folder, 'runs');

/** Whether nothing is kept there: then the process that speaks SSH need not be started to say so. */
export async function hasNoRuns(folder: string): Promise<boolean> {
  try {
    return (await readdir(runsFolder(folder))).length === 0;
  } catch (thrown) {
    // A folder that can't be read is told by who reads it.
    return errnoOf(thrown) === 'ENOENT';
  }
}
