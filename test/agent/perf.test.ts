import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectWhole, scratchFolder } from '../support/agent.ts';
import { agentPath, cudart, event, query } from '../support/agent-run.ts';
import { root } from '../support/built.ts';
import { freshPath, recordInside, removeRecordings } from '../support/inside-run.ts';
import { describeWith } from '../support/requirements.ts';

/** Exact switches without any right, by perf events: what is said is what BPF says of the same run. */

removeRecordings();

const script = join(root, 'test/agent/jobs/dataloader.py');

interface Wait {
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly queueNs: number;
  readonly state: number | null;
}

/** Waits in ns of CLOCK_MONOTONIC since the machine's start, which both recordings share. */
function waits(file: string): Wait[] {
  return query(
    file,
    `SELECT tid, w.start_ns + zero AS startNs, w.start_ns + zero + duration_ns AS endNs,
       coalesce(run_queue_ns, 0) AS queueNs, state
     FROM off_cpu w JOIN thread ON thread.id = thread_id,
       (SELECT monotonic_ns - start_ns AS zero FROM clock_reading LIMIT 1)`,
  ) as unknown as Wait[];
}

interface Sums {
  offNs: number;
  queueNs: number;
  preempted: number;
  rows: number;
}

/** Of the waits that lie in the window, by thread. */
function sumsOf(all: readonly Wait[], fromNs: number, toNs: number): Map<number, Sums> {
  const sums = new Map<number, Sums>();
  for (const { tid, startNs, endNs, queueNs, state } of all) {
    if (startNs < fromNs || endNs > toNs) continue;
    const sum = sums.get(tid) ?? { offNs: 0, queueNs: 0, preempted: 0, rows: 0 };
    sum.offNs += endNs - startNs;
    sum.queueNs += queueNs;
    sum.preempted += Number(state === 0);
    sum.rows++;
    sums.set(tid, sum);
  }
  return sums;
}

describeWith(['agent', 'bpf', 'torch'], 'a DataLoader, recorded by somebody without rights', () => {
  test('has each switch that BPF sees, preempted or not, and how long each thread waited', async () => {
    const report = join(scratchFolder(), 'job.json');
    chownSync(join(report, '..'), 65_534, 65_534);
    const truth = freshPath();
    const recording = await recordInside(
      [
        ...['/usr/bin/python3', script, '--library', cudart, '--report', report],
        ...['--workers', '4', '--items', '2048', '--item-cpu-us', '300', '--epochs', '2'],
      ],
      {
        asNobody: true,
        async meanwhile({ events }) {
          const pid = String(events().find(({ event }) => event === 'started')?.pid);
          const args = ['record', '--pid', pid, '--samples', '0', '--out', truth];
          await once(spawn(agentPath, args, { stdio: 'ignore' }), 'close');
        },
      },
    );
    expect(recording.code, recording.stderr).toBe(0);
    const trace = expectWhole(recording);
    console.log(JSON.stringify(trace.tables.off_cpu.columnProvenance.runQueueNs), event(recording,'finished'));
    const [ours, theirs] = [waits(recording.file), waits(truth)];
    const fromNs = Math.max(...[ours, theirs].map((all) => Math.min(...all.map((w) => w.startNs))));
    const toNs = Math.min(...[ours, theirs].map((all) => Math.max(...all.map((w) => w.endNs))));
    const [found, expected] = [sumsOf(ours, fromNs, toNs), sumsOf(theirs, fromNs, toNs)];
    for (const [tid, sum] of expected) console.log(tid, JSON.stringify(sum), JSON.stringify(found.get(tid)));
    console.log(readFileSync(report, 'utf8'));
  });
});
