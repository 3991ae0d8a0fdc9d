import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { median } from '../support/median.ts';
import { longSample } from './traces/long-sample.ts';

/**
 * "Why slow" of a whole trace of a million events, the bundled capture run over and over, against
 * plain SQL on the same file that answers part of it: each thread's time by state, and who ran while
 * the training thread waited for a CPU. Prints figures; asserts none.
 */

const EVENTS = 1_000_000;
const RUNS = 3;

const STATES = `SELECT thread_id, sum(duration_ns - coalesce(run_queue_ns, 0)) AS blocked,
    sum(run_queue_ns) AS runnable, sum(throttled_ns) AS throttled, count(*) AS switches
  FROM off_cpu GROUP BY thread_id`;

const RAN_INSTEAD = `WITH waits AS (
    SELECT start_ns + duration_ns - run_queue_ns AS from_ns, start_ns + duration_ns AS to_ns, cpu_in AS cpu
    FROM off_cpu WHERE thread_id = ? AND run_queue_ns > 0)
  SELECT on_cpu.thread_id, sum(min(on_cpu.start_ns + on_cpu.duration_ns, to_ns) - max(on_cpu.start_ns, from_ns))
  FROM waits JOIN on_cpu ON on_cpu.cpu = waits.cpu AND on_cpu.start_ns < to_ns
    AND on_cpu.start_ns > from_ns - 100000000 AND on_cpu.start_ns + on_cpu.duration_ns > from_ns
  GROUP BY on_cpu.thread_id`;

function timed(work: () => void): number {
  const begunMs = performance.now();
  work();
  return performance.now() - begunMs;
}

function timeSql(path: string, mainThread: number): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return timed(() => {
      database.prepare(STATES).all();
      database.prepare(RAN_INSTEAD).all(mainThread + 1);
    });
  } finally {
    database.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
try {
  const { trace, rows, path } = longSample(EVENTS, folder);
  // Each time as if it had just been opened: what is kept with a trace is kept by its tables.
  const fresh = () => withRoles({ ...trace, tables: { ...trace.tables } });
  const ours = Array.from({ length: RUNS }, () => {
    const opened = fresh();
    return timed(() => diagnose(opened));
  });
  const { diagnosis, ranks } = diagnose(fresh());
  const mainThread = ranks[0]?.facts.rank.mainThread ?? 0;
  const sql = Array.from({ length: RUNS }, () => timeSql(path, mainThread));
  const [mine, peer] = [median(ours), median(sql)];
  console.log(
    `${rows} events, ${diagnosis.findings.length} findings: ${mine.toFixed(0)} ms; plain SQL, states and who ran instead only: ${peer.toFixed(0)} ms; ratio ${(mine / peer).toFixed(2)}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
