import type { CleanUpReport } from '../../../src-main/shared/remote/run.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { formatBytes } from '../../../src-main/shared/text/units.ts';
import { shortWords } from '../../lib/run-words.ts';

const PATHS_TOLD = 3;
const PATH_LENGTH = 80;

/** What was removed from a host, and what was not and why, as a sentence. */
export function cleanUpText({ freedBytes, left }: CleanUpReport, host: string): string {
  const name = shortWords(host);
  if (freedBytes === 0 && left.length === 0) return `Stalltrace has nothing on ${name}.`;
  const freed =
    freedBytes > 0 ? `${formatBytes(freedBytes)} freed on ${name}` : `Nothing freed on ${name}`;
  if (left.length === 0) return `${freed}, nothing left there.`;
  const told = left
    .slice(0, PATHS_TOLD)
    .map(
      ({ path, why }) =>
        `${shortWords(path, PATH_LENGTH)} (${cleanText(why, 200).replace(/\.$/, '')})`,
    );
  const more = left.length - told.length;
  return `${freed}. Still there: ${told.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}
