import { readTail } from '../capture/agent-output.ts';
import type { RunEnd } from '../capture/run-end.ts';
import { watchRun } from '../capture/watch-run.ts';
import type { Connection } from '../connection/connections.ts';
import type { HostSession } from '../shell/host-session.ts';
import type { RunRecord } from '../state/run-record.ts';
import type { HeldRun, HeldRuns } from './held-runs.ts';

/** Of what a command said last, where it failed. */
const OUTPUT_BYTES = 2048;

const UNENDED: ReadonlySet<RunRecord['phase']> = new Set(['starting', 'recording', 'stopping']);

/** Whether a run records, as far as is known. */
export function isUnended({ phase }: Pick<RunRecord, 'phase'>): boolean {
  return UNENDED.has(phase);
}

/** Follows a run over a connection until it ends, the connection does, or another takes its place. */
export function followRun(
  runs: HeldRuns,
  run: HeldRun,
  connection: Connection,
  session: HostSession,
): void {
  const watch = new AbortController();
  const signal = AbortSignal.any([watch.signal, connection.signal]);
  run.watch = watch;
  run.connection = connection.id;
  const changes: Promise<unknown>[] = [];
  const followed = watchRun(
    session,
    run.record,
    {
      figures: (live) => runs.show(run, { live }),
      pastedLine: (line) => runs.show(run, { pastedLine: line }),
      notice: (level, text) => runs.notice(run, level, text),
      link: (link) => runs.show(run, { link }),
      ended(end) {
        changes.push(endRun(runs, run, end));
        if (end.tone !== 'ok') changes.push(tellOutput(runs, run, session, signal));
      },
      jobEnded(exitCode) {
        if (run.record.jobRunning !== true) return;
        runs.notice(run, 'info', `The command has ended with exit code ${exitCode ?? 'unknown'}.`);
        changes.push(runs.change(run, { jobRunning: false }));
      },
    },
    signal,
  );
  run.watched = followed.then(async () => {
    await Promise.all(changes);
    if (connection.signal.aborted) runs.show(run, { link: undefined });
  });
}

/** What a run that has ended becomes, however often that is told. */
export async function endRun(runs: HeldRuns, run: HeldRun, end: RunEnd): Promise<void> {
  if (isUnended(run.record)) await runs.change(run, { phase: 'recorded', ...end });
  else if (run.record.jobRunning === true && end.jobRunning === false)
    await runs.change(run, { jobRunning: false });
}

async function tellOutput(
  runs: HeldRuns,
  run: HeldRun,
  session: HostSession,
  signal: AbortSignal,
): Promise<void> {
  const { request, traceFile, asRoot } = run.record;
  if (request.target.kind !== 'command') return;
  const output = await readTail(session, `${traceFile}.output`, OUTPUT_BYTES, { asRoot, signal });
  if (output !== '') runs.notice(run, 'info', `The command's last output: ${output}`);
}
