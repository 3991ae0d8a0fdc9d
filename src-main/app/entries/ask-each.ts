import { availableParallelism } from 'node:os';
import type { CallError } from '../../contract/contract.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';
import type { TraceClient } from '../traces/held-trace.ts';
import { MEMORY_PER_BYTE } from '../traces/open-limits.ts';
import { Turns } from '../traces/turns.ts';
import { openInvestigation } from './open-investigation.ts';
import { progressOfRuns } from './progress-of-runs.ts';

type AskError = CallError<'library.compare'>;

export type Ask<T> = (
  investigation: Investigation,
  client: TraceClient,
  context: CallContext,
) => Promise<Result<T, AskError>>;

/** Whether the others are asked all the same where one could not be. */
type GoesOn = (failure: Failure<AskError>) => boolean;

/**
 * One answer of each entry, in their order; each is opened for it and closed again. Two are asked at once where there
 * are CPUs and memory for both. A failure that `goesOn` does not let pass ends them all, and is the outcome.
 */
export async function askEach<T>(
  services: Services,
  ids: readonly number[],
  context: CallContext,
  ask: Ask<T>,
  goesOn: GoesOn = () => false,
): Promise<Result<readonly Result<T, AskError>[], AskError>> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const partOf = progressOfRuns(ids.length, (progress) => context.progress(progress));
  const turns = new Turns((await isRoomForTwo(services, ids)) ? 2 : 1);
  let stopping: Failure<AskError> | undefined;
  const answers = await Promise.all(
    ids.map(async (id, at): Promise<Result<T, AskError>> => {
      const part = partOf(at);
      const answer =
        (await turns.take(signal, () =>
          askOne(services, id, { ...context, signal, progress: part.progress }, ask),
        )) ?? fail('cancelled', 'Cancelled.');
      part.end();
      if (answer.ok || goesOn(answer.error)) return answer;
      // Those that are ended for its sake are not what went wrong.
      stopping ??= answer.error;
      stop.abort();
      return answer;
    }),
  );
  return stopping === undefined ? ok(answers) : { ok: false, error: stopping };
}

async function askOne<T>(
  services: Services,
  id: number,
  context: CallContext,
  ask: Ask<T>,
): Promise<Result<T, AskError>> {
  const { traces } = services;
  const opened = await openInvestigation(services, id, context);
  if (!opened.ok) return opened;
  const { traceId, investigation } = opened.value;
  try {
    return await askTrace(traces, traceId, context, ({ client }) =>
      ask(investigation, client, context),
    );
  } finally {
    traces.close(traceId);
  }
}

/** Whether the two largest may be in memory together, beside what is open already. */
async function isRoomForTwo(
  { library, traces }: Services,
  ids: readonly number[],
): Promise<boolean> {
  if (availableParallelism() < 2) return false;
  const found = await Promise.all(ids.map((id) => library.call('find', { id })));
  const sizes = found.map((entry) => (entry.ok ? entry.value.sizeBytes : 0));
  const [largest = 0, second = 0] = sizes.sort((a, b) => b - a);
  return traces.hasRoomBeside((largest + second) * MEMORY_PER_BYTE);
}
