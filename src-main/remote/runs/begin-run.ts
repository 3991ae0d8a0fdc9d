import type { CaptureRequest } from '../../shared/remote/capture-request.ts';
import { describeTarget } from '../../shared/remote/describe-target.ts';
import type { Run } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { cleanUpRun } from '../capture/clean-up.ts';
import { findRun } from '../capture/find-run.ts';
import { type NotStarted, type StartError, startCapture } from '../capture/start-capture.ts';
import { stopRun } from '../capture/stop-run.ts';
import type { Connection } from '../connection/connections.ts';
import { listProcesses } from '../preflight/list-processes.ts';
import type { HostSession } from '../shell/host-session.ts';
import { lockRun } from '../state/run-lock.ts';
import { adoptRun } from './adopt-run.ts';
import { followRun } from './follow-run.ts';
import { asRun, type HeldRun, type HeldRuns } from './held-runs.ts';

/** How long it is looked for what has become of a capture whose beginning was cut off. */
const RECOVER_WITHIN_MS = 60_000;

interface Begin {
  readonly runs: HeldRuns;
  readonly connection: Connection;
  readonly session: HostSession;
  readonly request: CaptureRequest;
  readonly signal: AbortSignal;
}

/** Begins a capture, and follows it from then on. */
export async function beginRun(begin: Begin): Promise<Result<Run, StartError>> {
  const { runs, connection, session, request, signal } = begin;
  connection.keepAgent ||= request.keepAgent;
  const what = await describe(begin);
  let held: HeldRun | undefined;
  const outcome = await startCapture(session, request, {
    label: connection.link.connected.label,
    what,
    signal,
    store: {
      async write(record) {
        if (held !== undefined) return runs.change(held, record);
        const lock = await lockRun(runs.store.folderOf(record.id));
        if (lock.ok) held = runs.add(record, lock.value);
        else if (lock.error.code === 'state-unwritable')
          return fail('state-unwritable', lock.error.message, lock.error.detail);
        return runs.store.write(record);
      },
    },
  });
  if (held === undefined)
    return 'error' in outcome ? { ok: false, error: outcome.error } : neverHeld();
  if ('error' in outcome) return notStarted(begin, held, outcome);
  // Whoever cancelled will never hear that it records.
  if (signal.aborted) return notStarted(begin, held, CANCELLED);
  runs.changed();
  followRun(runs, held, connection, session);
  return ok(asRun(held.record, held));
}

const CANCELLED: NotStarted = { error: { code: 'cancelled', message: 'Cancelled.' } };

function neverHeld(): never {
  throw new Error('a capture began that was not written down');
}

/** The names of processes are those of the list they were chosen from. */
async function describe({ connection, session, request, signal }: Begin): Promise<string> {
  if (request.target.kind === 'processes' && connection.processes.length === 0) {
    const listed = await listProcesses(session, signal);
    if (listed.ok) connection.processes = listed.value.trees;
  }
  return describeTarget(request.target, connection.processes);
}

/** What did not begin is removed; what may have begun is looked for, and kept where it can't be told. */
async function notStarted(
  begin: Begin,
  held: HeldRun,
  { error }: NotStarted,
): Promise<Result<Run, StartError>> {
  // Its folder could not be made.
  if (error.code === 'no-place') {
    await begin.runs.remove(held, { phase: 'abandoned' });
    return { ok: false, error };
  }
  const mayRun = ['link-lost', 'timed-out', 'cancelled'].includes(error.code);
  const signal = AbortSignal.any([AbortSignal.timeout(RECOVER_WITHIN_MS), begin.connection.signal]);
  if (!mayRun) {
    await removeFailed(begin, held, signal);
    return { ok: false, error };
  }
  const found = await recover(begin, held, signal);
  if (found === 'not-known') {
    await begin.runs.change(held, { tone: 'warn', message: NOT_KNOWN });
    begin.runs.changed();
    await begin.runs.release(held);
    return { ok: false, error };
  }
  if (found === 'runs' && error.code !== 'cancelled') {
    begin.runs.changed();
    followRun(begin.runs, held, begin.connection, begin.session);
    return ok(asRun(held.record, held));
  }
  if (found === 'runs') await stopRun(begin.session, held.record, signal);
  await removeFailed(begin, held, signal);
  return { ok: false, error };
}

const NOT_KNOWN =
  'The connection was lost while it began: connect again to see whether it records.';

async function recover(
  { runs, session }: Begin,
  held: HeldRun,
  signal: AbortSignal,
): Promise<'runs' | 'nothing' | 'not-known'> {
  const connected = await session.link.transport(signal);
  if (!connected.ok) return 'not-known';
  const found = await findRun(session, held.record, signal);
  if (!found.ok) return 'not-known';
  if (found.value === undefined) return 'nothing';
  await adoptRun(runs, held, found.value);
  return 'runs';
}

/** Where it can't be removed now it stays on the list, to be cleaned up later. */
async function removeFailed({ runs, session }: Begin, held: HeldRun, signal: AbortSignal) {
  const cleaned = await cleanUpRun(session, held.record, signal);
  if (cleaned.ok && cleaned.value.complete) {
    await runs.removeCutOff(held, { phase: 'abandoned' });
    return;
  }
  await runs.change(held, { phase: 'abandoned', message: LEFT_BEHIND, tone: 'warn' });
  await runs.release(held);
}

const LEFT_BEHIND = 'It did not begin, and something of it is left on the host: clean up there.';
