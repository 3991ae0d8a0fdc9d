import { stat } from 'node:fs/promises';
import { sidecarSuffixes } from '../../trace/sqlite/private-copy.ts';

/** Whether a log beside a database holds part of its data: it is being recorded, or its recorder was killed. */
export async function hasLog(path: string): Promise<boolean> {
  const logs = sidecarSuffixes.map((suffix) => stat(path + suffix).catch(() => undefined));
  return (await Promise.all(logs)).some((found) => found !== undefined && found.size > 0);
}
