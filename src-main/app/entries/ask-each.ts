import type { CallError } from '../../contract/contract.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { Failure, Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';
import type { TraceClient } from '../traces/held-trace.ts';
import { askInTurns, readAtOnce } from './ask-in-turns.ts';
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
  const { library, traces } = services;
  const partOf = progressOfRuns(ids.length, (progress) => context.progress(progress));
  const found = await Promise.all(ids.map((id) => library.call('find', { id })));
  const sizes = found.map((entry) => (entry.ok ? entry.value.sizeBytes : 0));
  const atOnce = readAtOnce(sizes, (bytes) => traces.hasRoomBeside(bytes));
  return askInTurns(ids, { signal: context.signal, atOnce, goesOn }, async (id, at, signal) => {
    const { progress, end } = partOf(at);
    const answer = await askOne(services, id, { ...context, signal, progress }, ask);
    end();
    return answer;
  });
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
