import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { prepareExplanations } from '../../src-main/analysis/call/prepare-explanations.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { GOAL_EVENTS, sizes } from './measure/sizes.ts';

/**
 * "Why slow" of one call in a trace of ten million events, against asking the same file the plain
 * questions in SQL: its rank among its peers, what it spent off the CPU, who ran instead, its faults.
 * Its target is 100 ms of CPU time for a call. Times are of the CPU: others may use it too.
 */

const TARGET_MS = 100;
const CALLS = 200;
const SQL_CALLS = 2;

function cpuMs(run: () => unknown): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function open(path: string): Trace {
  const scratchDir = mkdtempSync(join(tmpdir(), 'stalltrace-why-slow-'));
  try {
    const opened = openTrace(path, { scratchDir, importers, progress() {} });
    if (!opened.ok) throw new Error(opened.error.message);
    return withRoles(opened.value);
  } finally {
    rmSync(scratchDir, { recursive: true, force: true });
  }
}

/** The longest calls, among them those made thousands of times as long, then others evenly. */
function callsToAsk(trace: Trace): number[] {
  const { durationNs } = trace.tables.cuda_call.columns;
  const slow = [...durationNs.keys()]
    .filter((call) => durationNs[call] > 10_000)
    .sort((a, b) => durationNs[b] - durationNs[a]);
  const every = Math.max(1, Math.floor(slow.length / CALLS));
  return [...slow.slice(0, 10), ...slow.filter((_, at) => at % every === 0)];
}

const overlapping = 'start_ns < :end AND start_ns + duration_ns > :start';
const questions = {
  rank: `SELECT count(*) FROM cuda_call WHERE op_id = (SELECT op_id FROM cuda_call WHERE rowid = :call)
    AND duration_ns > :end - :start`,
  'off the CPU': `SELECT state, count(*), sum(min(start_ns + duration_ns, :end) - max(start_ns, :start)),
    sum(run_queue_ns) FROM off_cpu WHERE thread_id = :thread AND ${overlapping} GROUP BY state`,
  'who ran': `SELECT s.thread_id, s.cpu, sum(min(s.start_ns + s.duration_ns, w.end_ns) - max(s.start_ns, w.ready_ns))
    FROM (SELECT max(start_ns + duration_ns - run_queue_ns, :start) AS ready_ns,
      min(start_ns + duration_ns, :end) AS end_ns, cpu_in FROM off_cpu
      WHERE thread_id = :thread AND ${overlapping}) w
    JOIN on_cpu s ON s.cpu = w.cpu_in AND s.start_ns < w.end_ns AND s.start_ns + s.duration_ns > w.ready_ns
    GROUP BY s.thread_id, s.cpu ORDER BY 3 DESC`,
  faults: `SELECT count(*), sum(duration_ns) FROM page_fault WHERE thread_id = :thread AND ${overlapping}`,
} as const;

/** CPU ms of every question about one call. */
function askInSql(database: DatabaseSync, trace: Trace, call: number): number[] {
  const { startNs, durationNs, thread } = trace.tables.cuda_call.columns;
  const values = {
    call: rowidOf(database, startNs[call], durationNs[call]),
    thread: thread[call] + 1,
    start: startNs[call],
    end: startNs[call] + durationNs[call],
  };
  return Object.values(questions).map((sql) => {
    const used = Object.entries(values).filter(([name]) => sql.includes(`:${name}`));
    return cpuMs(() => database.prepare(sql).all(Object.fromEntries(used)));
  });
}

function rowidOf(database: DatabaseSync, startNs: number, durationNs: number): number {
  const row = database
    .prepare('SELECT rowid AS id FROM cuda_call WHERE start_ns = ? AND duration_ns = ?')
    .get(startNs, durationNs);
  if (typeof row?.id !== 'number') throw new Error('a call of the trace is not in its file');
  return row.id;
}

function measure(events: number): void {
  const path = largeTrace(events);
  const trace = open(path);
  const preparing = prepareExplanations(trace);
  const steps: number[] = [];
  for (let isDone = false; !isDone; )
    steps.push(
      cpuMs(() => {
        isDone = preparing.next().done === true;
      }),
    );
  const preparedMs = steps.reduce((sum, ms) => sum + ms, 0);
  console.log(
    `${events.toLocaleString('en-US')} events; once after opening: ${preparedMs.toFixed(0)} ms in ${steps.length} steps, the longest ${Math.max(...steps).toFixed(0)} ms`,
  );

  const calls = callsToAsk(trace);
  const times = calls.map((call) => cpuMs(() => explainCall(trace, call)));
  const sorted = times.toSorted((a, b) => a - b);
  const longestMs = sorted.at(-1) ?? Number.NaN;
  console.log(
    `why slow: first ${times[0]?.toFixed(1)} ms, median ${median(times).toFixed(2)} ms, p95 ${sorted[Math.floor(sorted.length * 0.95)]?.toFixed(1)} ms, longest ${longestMs.toFixed(1)} ms of ${calls.length} calls (target ${TARGET_MS} ms)`,
  );

  const database = new DatabaseSync(path, { readOnly: true });
  // Not of the longest: a plain join of their waits takes minutes.
  const asked = calls
    .slice(CALLS >> 1, (CALLS >> 1) + SQL_CALLS)
    .map((call) => askInSql(database, trace, call));
  const sums = asked.map((each) => each.reduce((sum, ms) => sum + ms, 0));
  const each = Object.keys(questions).map(
    (question, at) => `${question} ${median(asked.map((ms) => ms[at] ?? 0)).toFixed(0)} ms`,
  );
  database.close();
  const ratio = (median(sums) / median(times)).toFixed(0);
  console.log(
    `SQL: median ${median(sums).toFixed(0)} ms (${each.join(', ')}): ${ratio} times as long`,
  );
}

for (const events of sizes([GOAL_EVENTS])) measure(events);
