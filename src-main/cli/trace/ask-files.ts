import { stat } from 'node:fs/promises';
import { askInTurns, readAtOnce } from '../../app/entries/ask-in-turns.ts';
import { defaultLimits } from '../../app/traces/open-limits.ts';
import type { Failure, Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { inTrace } from './in-trace.ts';
import type { UsedTrace } from './with-trace.ts';

/**
 * An answer of each trace file, in the order in which they are named. Two are read at once where there are CPUs and
 * memory for both. A failure that `goesOn` does not let pass ends them all.
 */
export async function askFiles<T>(
  paths: readonly string[],
  context: CallContext,
  goesOn: (code: string) => boolean,
  ask: (trace: UsedTrace, path: string, context: CallContext) => Promise<Result<T>>,
): Promise<Result<readonly Result<T>[]>> {
  const sizes = await Promise.all(paths.map(sizeOf));
  const atOnce = readAtOnce(sizes, (bytes) => bytes <= defaultLimits().memoryBytes);
  const turns = { signal: context.signal, atOnce, goesOn: ({ code }: Failure) => goesOn(code) };
  return askInTurns(paths, turns, (path, _, signal) => {
    const ofOne = { ...context, signal };
    return inTrace(path, ofOne, (trace) => ask(trace, path, ofOne));
  });
}

/** In bytes; 0 where it can't be told: reading the file says why. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
