import { expect, test } from 'vitest';
import { randomFrom, randomTrace, TRACE_NS } from '../../analysis/threads/testing/random-time.ts';
import { NO_ROW, visitStates } from '../../analysis/threads/visit-states.ts';
import { type ThreadState, threadStates } from '../../shared/model/thread-state.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { buildTrackGroups } from '../../timeline/build/build-tracks.ts';
import { stateColour } from '../../timeline/model/colours.ts';
import { type EventTrack, isEventTrack } from '../../timeline/model/track-model.ts';
import { askedAbout } from './asked-about.ts';
import { summarise } from './summarise.ts';

const colours: Readonly<Record<Exclude<ThreadState, 'unknown'>, number>> = {
  running: stateColour.running,
  runnable: stateColour.runnable,
  sleeping: stateColour.sleeping,
  disk: stateColour.blockedOnIo,
  uninterruptible: stateColour.blocked,
  stopped: stateColour.stopped,
  dead: stateColour.stopped,
};

/** The colours that a track has at each ns. */
function drawnOn(track: EventTrack): ReadonlySet<number>[] {
  const drawn = Array.from({ length: TRACE_NS }, () => new Set<number>());
  for (const lane of [track.summary(), track.ground?.()])
    for (let at = 0; at < (lane?.length ?? 0); at++) {
      const { times, colours } = lane as NonNullable<typeof lane>;
      const startNs = times.startNs(at);
      const endNs = Math.min(TRACE_NS, startNs + times.durationNs(at));
      for (let ns = startNs; ns < endNs; ns++) drawn[ns]?.add(colours[at]);
    }
  return drawn;
}

/** How many rows of off_cpu a thread has at each ns: of a trace that contradicts itself several. */
function rowsAt({ tables }: Trace, thread: number): number[] {
  const { rows, columns } = tables.off_cpu;
  const counts = new Array<number>(TRACE_NS).fill(0);
  for (let row = 0; row < rows; row++) {
    if (columns.thread[row] !== thread) continue;
    const endNs = Math.min(TRACE_NS, columns.startNs[row] + columns.durationNs[row]);
    for (let ns = columns.startNs[row]; ns < endNs; ns++) counts[ns] = (counts[ns] ?? 0) + 1;
  }
  return counts;
}

/** Whether what is drawn at a moment is what the analysis says; `rows`: how many the thread has there. */
function agrees(drawn: ReadonlySet<number>, state: ThreadState, row: number, rows: number) {
  if (state === 'running') return drawn.size === 1 && drawn.has(colours.running);
  if (row === NO_ROW) return drawn.size === 0;
  // Where it is not recorded from when on it waited for a CPU, what it waited for first is drawn.
  const isTold = state === 'unknown' ? drawn.size > 0 : drawn.has(colours[state]);
  return isTold && !drawn.has(colours.running) && (rows > 1 || drawn.size === 1);
}

test('what the timeline draws of a thread at any moment is what the analysis says of it', () => {
  const seen = new Set<ThreadState>();
  const wrong: string[] = [];
  for (let seed = 1; seed <= 400; seed++) {
    const trace = randomTrace(randomFrom(seed));
    const groups = buildTrackGroups(askedAbout(trace, summarise(trace)).judged());
    const tracks = groups.flatMap((group) => group.tracks).filter(isEventTrack);
    for (let thread = 0; thread < trace.threads.length; thread++) {
      const track = tracks.find(({ id }) => id === `off_cpu:${thread}`);
      if (track === undefined) continue;
      const drawn = drawnOn(track);
      const rows = rowsAt(trace, thread);
      visitStates(trace, thread, 0, TRACE_NS, (startNs, endNs, code, row) => {
        const state = threadStates[code] as ThreadState;
        seen.add(state);
        for (let ns = startNs; ns < endNs; ns++)
          if (!agrees(drawn[ns] ?? new Set(), state, row, rows[ns] ?? 0))
            wrong.push(`seed ${seed}, thread ${thread}, ${ns} ns: ${state}`);
      });
    }
  }
  expect(wrong).toEqual([]);
  expect([...seen].sort()).toEqual([...threadStates].sort());
});
