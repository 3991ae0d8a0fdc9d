import type { HostError } from '../../shared/remote/connection.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import { runArguments } from './agent-arguments.ts';
import { asAgentLine, parseStopped } from './agent-lines.ts';
import { runAgent } from './agent-output.ts';
import { endOfFinished, type RunEnd } from './run-end.ts';

const EXIT_NO_RUN = 3;

/**
 * Ends a capture, never its job, and waits until its trace is complete. `undefined`: it has ended, and
 * how is for whoever follows it to tell.
 */
export async function stopRun(
  session: Pick<HostSession, 'openAgent'>,
  record: RunRecord,
  signal: AbortSignal,
): Promise<Result<RunEnd | undefined, HostError | 'cancelled'>> {
  const { agentRun, asRoot, runBase } = record;
  if (agentRun === undefined) return ok(undefined);
  const args = ['stop', '--json', ...runArguments({ agentRun, runBase })];
  const ran = await runAgent(session, args, { asRoot, signal });
  if (!ran.ok) return ran;
  const stopped = parseStopped(ran.value.lines[0]);
  if (stopped?.ended === true) {
    const line = asAgentLine(stopped.runs[0]?.finished);
    return ok(
      typeof line === 'object' && line.event === 'finished'
        ? endOfFinished(line, record)
        : undefined,
    );
  }
  if (ran.value.code === EXIT_NO_RUN) return ok(undefined);
  const said = stopped?.message ?? '';
  return fail(
    'agent-failed',
    `The capture did not end within 30 s${said === '' ? '' : ` (${said})`}: it ends by itself when its time is over; try again, or wait.`,
    ran.value.said,
  );
}
