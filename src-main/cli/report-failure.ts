import type { Failure } from '../shared/result.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED } from './exit-codes.ts';

/** The sentence of a failure for a person, on stderr; the exit code. */
export function reportFailure({ code, message }: Failure): number {
  console.error(`stalltrace: ${message}`);
  return code === 'cancelled' ? EXIT_INTERRUPTED : EXIT_FAILURE;
}
