import type { StatementResult } from '../../../src-main/shared/answers/statement.ts';
import { formatDuration, plural } from '../../../src-main/shared/text/units.ts';

/** How much a statement answered, and in what time. */
export function resultWords({ rows, tookMs }: StatementResult): string {
  return `${plural(rows.length, 'row')} in ${formatDuration(tookMs * 1e6)}`;
}
