import type { HostError } from '../../shared/remote/connection.ts';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanUpRun } from '../capture/clean-up.ts';
import { findRun } from '../capture/find-run.ts';
import { lookAtHost } from '../capture/look-at-host.ts';
import { endOfReboot } from '../capture/run-end.ts';
import type { Connection } from '../connection/connections.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { StateError } from '../state/state-file.ts';
import { adoptRun } from './adopt-run.ts';
import { broughtSoFar } from './brought-so-far.ts';
import { endRun, followRun, isUnended } from './follow-run.ts';
import { asRun, type HeldRun, type HeldRuns } from './held-runs.ts';

type AttachError = 'no-such-run' | 'run-busy' | StateError | HostError | 'cancelled';

/** Takes a run up again over a connection to its host, wherever it was followed before. */
export async function attachRun(
  runs: HeldRuns,
  id: string,
  connection: Connection,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<Run, AttachError>> {
  const holding = await runs.hold(id);
  if (!holding.ok) return holding;
  const run = holding.value;
  if (run.connection === connection.id && run.watch?.signal.aborted === false)
    return ok(asRun(run.record, run));
  const rightHost = checkHost(run, session);
  if (!rightHost.ok) {
    if (run.connection === undefined) await runs.release(run);
    return rightHost;
  }
  return runs.during(run, 'taken up', async () => {
    run.watch?.abort();
    await run.watched;
    run.connection = connection.id;
    const taken = await takeUp(runs, run, connection, session, signal);
    return taken.ok ? ok(asRun(run.record, run)) : taken;
  });
}

/** The boot's id is the host's as long as it runs; after a restart there is only its address. */
function checkHost({ record }: HeldRun, session: HostSession): Result<null, 'not-connected'> {
  const { address } = session.link.connected;
  if (record.bootId === session.bootId || record.address === address) return ok(null);
  return fail(
    'not-connected',
    `This capture is on ${record.address}, and ${address} is another host: connect to that one.`,
  );
}

async function takeUp(
  runs: HeldRuns,
  run: HeldRun,
  connection: Connection,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<null, AttachError>> {
  const transfer = run.transfer ?? (await broughtSoFar(runs.store.folderOf(run.id)));
  runs.show(run, { link: 'connected', transfer });
  // What brought it back has ended with the process that did.
  if (run.record.phase === 'bringing') await runs.change(run, { phase: 'recorded' });
  if (!isUnended(run.record) && run.record.jobRunning !== true) return ok(null);
  const now = await lookAtHost(session, run.record.traceFile, signal);
  if (!now.ok) return now;
  const { bootId, bootedAtMs, traceBytes } = now.value;
  if (bootId !== run.record.bootId) {
    await endRun(runs, run, endOfReboot(bootedAtMs, traceBytes));
    return ok(null);
  }
  if (run.record.agentRun === undefined) {
    const found = await findRun(session, run.record, signal);
    if (!found.ok) return found;
    if (found.value === undefined) return neverBegan(runs, run, session, signal);
    await adoptRun(runs, run, found.value);
  }
  followRun(runs, run, connection, session);
  return ok(null);
}

async function neverBegan(
  runs: HeldRuns,
  run: HeldRun,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<null, AttachError>> {
  const ended = {
    phase: 'abandoned',
    tone: 'warn',
    message: 'This capture never began: the connection was lost before. Begin it again.',
  } as const;
  const cleaned = await cleanUpRun(session, run.record, signal);
  if (!cleaned.ok) return cleaned;
  if (!cleaned.value.complete) await runs.change(run, ended);
  else return runs.removeCutOff(run, ended);
  return ok(null);
}
