import type { Failure } from '../shared/rpc/result.ts';
import { cleanText } from '../shared/text/text.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED } from './exit-codes.ts';

/** The sentence of a failure for a person, on stderr; the exit code. */
export function reportFailure({ code, message }: Failure): number {
  // A path in it may hold a line break, and what follows would pass for a line of ours.
  console.error(`stalltrace: ${cleanText(message, Infinity)}`);
  return code === 'cancelled' ? EXIT_INTERRUPTED : EXIT_FAILURE;
}
