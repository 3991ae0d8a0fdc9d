import type { HostError } from '../../shared/remote/connection.ts';
import type { HostProcesses } from '../../shared/remote/preflight.ts';
import type { Result } from '../../shared/result.ts';
import type { HostSession } from '../shell/host-session.ts';

/** Processes worth capturing, as trees, those that use a GPU first. */
export async function listProcesses(
  session: HostSession,
  _signal: AbortSignal,
): Promise<Result<HostProcesses, HostError | 'cancelled'>> {
  throw new Error(`not written yet: ${session.agentPath}`);
}
