import { availableParallelism } from 'node:os';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { MEMORY_PER_BYTE } from '../traces/open-limits.ts';
import { Turns } from '../traces/turns.ts';

interface TurnOptions<Code extends string> {
  readonly signal: AbortSignal;
  /** So many are asked at the same time. */
  readonly atOnce: number;
  /** Whether the others are asked all the same where one could not be. */
  readonly goesOn: (failure: Failure<Code>) => boolean;
}

type AskSource<Source, T, Code extends string> = (
  source: Source,
  at: number,
  signal: AbortSignal,
) => Promise<Result<T, Code | 'cancelled'>>;

/**
 * One answer of each source, in their order. A failure that `goesOn` does not let pass ends them all, and is the
 * outcome.
 */
export async function askInTurns<Source, T, Code extends string>(
  sources: readonly Source[],
  { signal, atOnce, goesOn }: TurnOptions<Code | 'cancelled'>,
  ask: AskSource<Source, T, Code>,
): Promise<Result<readonly Result<T, Code | 'cancelled'>[], Code | 'cancelled'>> {
  type Answer = Result<T, Code | 'cancelled'>;
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const turns = new Turns(atOnce);
  let stopping: Failure<Code | 'cancelled'> | undefined;
  const judged = (answer: Answer): Answer => {
    if (answer.ok || goesOn(answer.error)) return answer;
    // Those that are ended for its sake are not what went wrong.
    stopping ??= answer.error;
    stop.abort();
    return answer;
  };
  // Judged before its turn ends, so that none begins after a failure.
  const askOne = async (source: Source, at: number) => judged(await ask(source, at, ended));
  const answers = await Promise.all(
    sources.map(
      async (source, at): Promise<Answer> =>
        (await turns.take(ended, () => askOne(source, at))) ??
        judged(fail('cancelled', 'Cancelled.')),
    ),
  );
  return stopping === undefined ? ok(answers) : { ok: false, error: stopping };
}

/** Two where there are CPUs, and memory for the two largest files of these sizes; else one. */
export function readAtOnce(
  sizesBytes: readonly number[],
  hasRoom: (bytes: number) => boolean,
): 1 | 2 {
  if (availableParallelism() < 2) return 1;
  const [largest = 0, second = 0] = sizesBytes.toSorted((a, b) => b - a);
  return hasRoom((largest + second) * MEMORY_PER_BYTE) ? 2 : 1;
}
