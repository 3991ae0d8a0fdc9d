import type { Run } from '../../shared/remote/run.ts';
import { formatLocalMinute } from '../../shared/text/dates.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { align } from './align.ts';

/** One capture a line, and beneath it what is wrong with it or how it ended. */
export function runsText(runs: readonly Run[]): string {
  if (runs.length === 0) return 'No capture runs, and none has a trace left to bring back.';
  const lines = align(
    runs.map((run) => [
      `#${run.id.slice(0, 8)}`,
      run.host,
      run.phase,
      formatLocalMinute(run.startedAt),
      run.bytesOnHost === undefined ? '–' : formatBytes(run.bytesOnHost),
      run.what,
    ]),
  );
  return lines
    .flatMap((line, at) => {
      const message = runs[at]?.message;
      return message === undefined ? [line] : [line, `      ${cleanText(message, 500)}`];
    })
    .join('\n');
}
