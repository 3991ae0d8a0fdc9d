import { LONGEST_STATEMENT } from '../../../src-main/shared/library/longest-statement.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';
import { formatCount } from '../../../src-main/shared/text/units.ts';

/** Why a statement is not run or kept: the host takes no longer one, and would say less. */
export function tooLong(text: string): Failure | undefined {
  if (text.length <= LONGEST_STATEMENT) return undefined;
  const message = `The statement is too long: write at most ${formatCount(LONGEST_STATEMENT)} characters.`;
  return { code: 'statement-too-large', message };
}
