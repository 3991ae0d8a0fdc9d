import type { CleanUpReport } from '../../shared/remote/run.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';

/** What of ours is left on a host, and what is gone. */
export function cleanUpText(host: string, { freedBytes, left }: CleanUpReport): string {
  const on = cleanText(host, 200);
  const freed = `${formatBytes(freedBytes)} freed`;
  if (left.length === 0) return `Nothing of Stalltrace is left on ${on}: ${freed}.`;
  return [
    `On ${on} ${freed}. Left there:`,
    ...left.map(({ path, why }) => `  ${cleanText(path, 1000)}: ${cleanText(why, 500)}`),
  ].join('\n');
}
