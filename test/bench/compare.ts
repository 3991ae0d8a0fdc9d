import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { runSummary } from '../../src-main/analysis/run/run-summary.ts';
import { summarise } from '../../src-main/app/trace-process/summarise.ts';
import { compareRuns } from '../../src-main/compare/compare-runs.ts';
import type { TraceSummary } from '../../src-main/shared/answers/summary.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { median } from '../support/median.ts';
import { tell } from './measure/figures.ts';
import { goalAt, sizes } from './measure/sizes.ts';
import { longSample } from './traces/long-sample.ts';

/**
 * Two open traces compared: what of each is compared, and the comparison itself. Of traces that were diagnosed before, as
 * those are that somebody looked at, and of traces of which nothing was asked yet. The peer is one question of it in SQL
 * over both files: each operation by direction, with its calls and their time.
 */

const RUNS = 3;
const GOAL_MS = 2000;

const OPERATIONS = `SELECT op_id, direction, count(*), sum(duration_ns), max(duration_ns)
  FROM cuda_call GROUP BY op_id, direction`;

function timed(work: () => void): number {
  const begunMs = performance.now();
  work();
  return performance.now() - begunMs;
}

function timeSql(path: string): number {
  const databases = [path, path].map((each) => new DatabaseSync(each, { readOnly: true }));
  try {
    return timed(() => {
      for (const database of databases) database.prepare(OPERATIONS).all();
    });
  } finally {
    for (const database of databases) database.close();
  }
}

function compare(traces: readonly Trace[], summary: TraceSummary): void {
  const [first, second] = traces.map((trace) => runSummary(trace, summary));
  if (first === undefined || second === undefined) throw new Error('two runs are compared');
  const { verdict } = compareRuns(first, second);
  if (verdict !== 'no-measurable-change') throw new Error(`one run twice is said to be ${verdict}`);
}

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
try {
  for (const size of sizes()) {
    const { trace, path } = longSample(size, folder);
    // Each as if it had just been opened: what is kept with a trace is kept by its tables.
    const fresh = () => [0, 1].map(() => withRoles({ ...trace, tables: { ...trace.tables } }));
    const summary = summarise(withRoles(trace));
    const peer = { name: 'SQL', value: median(Array.from({ length: RUNS }, () => timeSql(path))) };
    const measure = (figure: string, prepare: (trace: Trace) => void) => {
      const times = Array.from({ length: RUNS }, () => {
        const traces = fresh();
        traces.forEach(prepare);
        return timed(() => compare(traces, summary));
      });
      tell({ size, figure, unit: 'ms', value: median(times), peer, ...goalAt(size, GOAL_MS) });
    };
    measure('compared, diagnosed before', diagnose);
    measure('compared, just opened', () => undefined);
    rmSync(path);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
