import type { Failure } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED } from './exit-codes.ts';
import { printJson } from './plain-output.ts';

/**
 * The sentence of a failure for a person, on stderr; for a script that asked for JSON its code too, on
 * stdout. The exit code.
 */
export function reportFailure(error: Failure, json = false): number {
  if (json) printJson({ error });
  // A path in it may hold a line break, and what follows would pass for a line of ours.
  console.error(`stalltrace: ${cleanText(error.message, Infinity)}`);
  return error.code === 'cancelled' ? EXIT_INTERRUPTED : EXIT_FAILURE;
}
