import type { FetchedTrace } from '../../shared/contract/remote-process-calls.ts';
import type { HostError } from '../../shared/remote/connection.ts';
import type { CleanUpReport, Run } from '../../shared/remote/run.ts';
import { type Failure, fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { mostTraceBytes } from '../capture/agent-arguments.ts';
import { stopRun } from '../capture/stop-run.ts';
import { type Connection, notConnected } from '../connection/connections.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { StateError } from '../state/state-file.ts';
import { type FetchError, fetchTrace } from '../transfer/fetch-trace.ts';
import { cleanHost } from './clean-host.ts';
import { endRun, isUnended } from './follow-run.ts';
import { asRun, type HeldRun, type HeldRuns, noSuchRun } from './held-runs.ts';
import type { RunServices } from './run-services.ts';

type RunError = 'no-such-run' | 'run-busy' | StateError | HostError | 'cancelled';

/** What is done to a run whose host is connected. */
interface Reach {
  readonly run: HeldRun;
  readonly connection: Connection;
  readonly session: HostSession;
}

/** Ends a capture, never its job; settles once its trace is complete. */
export async function stopCapture(
  services: RunServices,
  id: string,
  context: CallContext,
): Promise<Result<Run, RunError>> {
  const reached = await reach(services, id, context);
  if (!reached.ok) return reached;
  const { run, session, connection } = reached.value;
  const { runs } = services;
  const signal = AbortSignal.any([context.signal, connection.signal]);
  return runs.during(run, 'stopped', async () => {
    const ended = await endCapture(runs, run, session, signal);
    return ended.ok ? ok(asRun(run.record, run)) : ended;
  });
}

async function endCapture(
  runs: HeldRuns,
  run: HeldRun,
  session: HostSession,
  signal: AbortSignal,
): Promise<Result<null, RunError>> {
  if (!isUnended(run.record)) return ok(null);
  await runs.change(run, { phase: 'stopping' });
  const stopped = await stopRun(session, run.record, signal);
  if (!stopped.ok) {
    if (isUnended(run.record)) await runs.change(run, { phase: 'recording' });
    return stopped;
  }
  if (stopped.value !== undefined) await endRun(runs, run, stopped.value);
  // How it ended otherwise, whoever follows it is about to hear.
  else await run.watched;
  return ok(null);
}

/** Brings a trace back, whole and proved; what is here stays here when that is cancelled or fails. */
export async function fetchRun(
  services: RunServices,
  id: string,
  context: CallContext,
): Promise<Result<FetchedTrace, RunError | FetchError>> {
  const reached = await reach(services, id, context);
  if (!reached.ok) return reached;
  const { run, session, connection } = reached.value;
  const { runs } = services;
  const signal = AbortSignal.any([context.signal, connection.signal]);
  return runs.during(
    run,
    'brought back',
    async (): Promise<Result<FetchedTrace, RunError | FetchError>> => {
      if (isUnended(run.record)) return stillRecords();
      const changed = await runs.change(run, { phase: 'bringing' });
      if (!changed.ok) return changed;
      await readClockAtEnd(runs, run, session, signal);
      const fetched = await fetchTrace(session, {
        remoteFile: run.record.traceFile,
        folder: runs.store.folderOf(id),
        mostBytes: mostTraceBytes(run.record.request),
        finalBytes: run.record.finalBytes,
        signal,
        onProgress(transfer) {
          runs.show(run, { transfer });
          const { doneBytes, totalBytes, step } = transfer;
          const text = `${STEPS[step]}: ${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`;
          context.progress({ ...(totalBytes > 0 && { fraction: doneBytes / totalBytes }), text });
        },
        onNotice: (sentence) => runs.notice(run, 'info', sentence),
      });
      if (fetched.ok) return fetched;
      await notFetched(runs, run, fetched.error);
      return fetched;
    },
  );
}

/** How the host's clock compares now: by both readings it is known what it gained since the check. Before the link is busy. */
async function readClockAtEnd(
  runs: HeldRuns,
  run: HeldRun,
  session: HostSession,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = run.record;
  if (clock === undefined || clock.atEnd !== undefined) return;
  const atEnd = await session.measureClock(signal);
  // A change that can't be written down is told by the next one.
  if (atEnd !== undefined) await runs.change(run, { clock: { ...clock, atEnd } });
}

const STEPS = {
  waiting: 'Waiting for the host',
  downloading: 'Bringing the trace back',
  verifying: 'Checking the trace',
  adding: 'Adding it to the library',
} as const;

function stillRecords(): Result<never, 'run-busy'> {
  return fail('run-busy', 'The capture still records: stop it, or wait until it has ended.');
}

async function notFetched(runs: HeldRuns, run: HeldRun, error: Failure<FetchError>): Promise<void> {
  const isUsers = error.code === 'cancelled';
  // Of what is here no more than is told.
  if (error.code === 'host-broke-word') runs.show(run, { transfer: undefined });
  await runs.change(run, {
    phase: 'recorded',
    ...(!isUsers && { message: error.message, tone: 'fail' as const }),
    ...(error.code === 'trace-gone' && { bytesOnHost: 0 }),
  });
}

/** The trace is in the library: what the run left on its host goes, now or when it can be reached. */
export async function settleRun(
  services: RunServices,
  id: string,
  investigation: number,
  context: CallContext,
): Promise<Result<{ readonly cleanUp?: CleanUpReport }, RunError>> {
  const { runs, connections } = services;
  const holding = await runs.hold(id);
  if (!holding.ok) return holding;
  const run = holding.value;
  const settled = await runs.during(run, 'cleaned up', async () => {
    const changed = await runs.change(run, { phase: 'brought', investigation });
    if (!changed.ok) return changed;
    await runs.store.dropFetched(id);
    const connection = connections.get(run.connection ?? '');
    if (connection?.session === undefined || connection.link.state.kind !== 'connected')
      return leftForLater(runs, run);
    const cleaned = await cleanHost(services, connection, connection.session, {
      run,
      keepAgent: run.record.request.keepAgent || connection.keepAgent,
      signal: AbortSignal.any([context.signal, connection.signal]),
    });
    return cleaned.ok ? ok({ cleanUp: cleaned.value }) : leftForLater(runs, run);
  });
  if (run.connection === undefined) await runs.release(run);
  return settled;
}

async function leftForLater(runs: HeldRuns, run: HeldRun): Promise<Result<object, never>> {
  await runs.change(run, {
    tone: 'warn',
    message:
      'The trace is in your library; what it left on the host is still there: clean up when the host is reachable.',
  });
  return ok({});
}

/** What was fetched is no trace that can be read: it is fetched anew the next time. */
export async function refuseRun(
  { runs }: RunServices,
  id: string,
  why: string,
): Promise<Result<null, RunError>> {
  const holding = await runs.hold(id);
  if (!holding.ok) return holding;
  const run = holding.value;
  await runs.store.dropFetched(id);
  runs.show(run, { transfer: undefined });
  const changed = await runs.change(run, { phase: 'recorded', tone: 'fail', message: why });
  if (run.connection === undefined) await runs.release(run);
  return changed;
}

/** Ends the capture, never its job, and deletes it on the host and here. */
export async function abandonRun(
  services: RunServices,
  id: string,
  context: CallContext,
): Promise<Result<CleanUpReport, RunError>> {
  const reached = await reach(services, id, context);
  if (!reached.ok) return reached;
  const { run, connection, session } = reached.value;
  const { runs } = services;
  const signal = AbortSignal.any([context.signal, connection.signal]);
  return runs.during(run, 'abandoned', async () => {
    const ended = await endCapture(runs, run, session, signal);
    if (!ended.ok) return ended;
    const changed = await runs.change(run, { phase: 'abandoned' });
    if (!changed.ok) return changed;
    await runs.store.dropFetched(id);
    return cleanHost(services, connection, session, {
      run,
      keepAgent: run.record.request.keepAgent || connection.keepAgent,
      signal,
    });
  });
}

/** Takes a run off the list, whatever is left of it on a host that nobody will reach again. */
export async function forgetRun(
  { runs, connections }: RunServices,
  id: string,
): Promise<Result<null, 'no-such-run' | 'run-busy' | StateError>> {
  const held = runs.get(id);
  const link = connections.get(held?.connection ?? '')?.link.state.kind;
  if (held !== undefined && isUnended(held.record) && link === 'connected') return stillRecords();
  const holding = await runs.hold(id);
  if (!holding.ok) return holding;
  return runs.remove(holding.value, { phase: 'abandoned' });
}

/** A run in hand with the host it is on; looks at the host where that was not done over this connection. */
async function reach(
  { runs, connections }: RunServices,
  id: string,
  context: CallContext,
): Promise<Result<Reach, RunError>> {
  const run = runs.get(id);
  if (run === undefined)
    return (await runs.store.read(id)) === undefined ? noSuchRun() : notTakenUp();
  const connection = connections.get(run.connection ?? '');
  if (connection === undefined) return notConnected();
  const session = await connections.session(connection.id, {
    signal: context.signal,
    progress: (text) => context.progress({ text }),
  });
  return session.ok ? ok({ run, connection, session: session.value }) : session;
}

function notTakenUp(): Result<never, 'not-connected'> {
  return fail(
    'not-connected',
    'Stalltrace is not connected to the host of this capture: connect to it, then try again.',
  );
}
