import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import { runArguments, runDirectory } from './agent-arguments.ts';
import { type ListedRuns, parseStatus, type StatusRun } from './agent-lines.ts';
import { runAgent } from './agent-output.ts';

type Where = Pick<RunRecord, 'runBase' | 'asRoot'>;

/** Captures of the agent in the background, ours and others', as `status` tells them; of one run it alone. */
export async function listRuns(
  session: Pick<HostSession, 'openAgent'>,
  { runBase, asRoot, agentRun }: Where & Partial<Pick<RunRecord, 'agentRun'>>,
  signal: AbortSignal,
): Promise<Result<ListedRuns, HostError | 'cancelled'>> {
  const which =
    agentRun === undefined ? runDirectory(runBase) : runArguments({ agentRun, runBase });
  const ran = await runAgent(session, ['status', '--json', ...which], { asRoot, signal });
  if (!ran.ok) return ran;
  const runs = parseStatus(ran.value.lines[0]);
  if (runs !== undefined) return ok(runs);
  return fail(
    'agent-failed',
    'The agent on the host could not say which captures there are: check the host again.',
    ran.value.said,
  );
}

/** The run that writes a record's trace; undefined where there is none. */
export async function findRun(
  session: Pick<HostSession, 'openAgent'>,
  record: Where & Pick<RunRecord, 'agentRun' | 'traceFile'>,
  signal: AbortSignal,
): Promise<Result<StatusRun | undefined, HostError | 'cancelled'>> {
  const runs = await listRuns(session, record, signal);
  if (!runs.ok) return runs;
  return ok(
    runs.value.runs.find((run) =>
      record.agentRun === undefined
        ? run.run?.file === record.traceFile
        : run.run_id === record.agentRun,
    ),
  );
}
