import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole, record } from '../support/agent/agent.ts';
import { query, standIn, value } from '../support/agent/agent-run.ts';
import { describeWith } from '../support/requirements.ts';

/** The trace agrees with what the kernel itself counts of each thread: test/agent/jobs/account.c. */

interface Figures {
  readonly voluntary: number;
  readonly involuntary: number;
  readonly minor: number;
  readonly major: number;
  readonly run: number;
  readonly runDelay: number;
  /** CLOCK_MONOTONIC. */
  readonly at: number;
}
interface Account {
  readonly name: string;
  readonly tid: number;
  readonly begin: Figures;
  readonly end: Figures;
}

/** 1 %, and what the two readings of the figures themselves cause. */
function expectAgreement(what: string, traced: number, counted: number, slack: number): void {
  const off = Math.abs(traced - counted);
  const limit = Math.max(0.01 * counted, slack);
  expect(off, `${what}: traced ${traced}, the kernel counted ${counted}`).toBeLessThanOrEqual(
    limit,
  );
}

function tracedFigures(file: string, { tid, begin, end }: Account): Record<string, number> {
  const [row] = query(
    file,
    `SELECT count(*) FILTER (WHERE state & 0x7f <> 0 AND cpu_in IS NOT NULL) AS voluntary,
       count(*) FILTER (WHERE state & 0x7f = 0) AS involuntary,
       sum(minor_faults) AS minor, sum(major_faults) AS major,
       sum(executed_ns) AS run, sum(run_queue_ns) AS runDelay, sum(off_cpu.duration_ns) AS offCpu
     FROM off_cpu JOIN thread ON thread.id = thread_id, meta
     WHERE tid = ${tid} AND meta.key = 'begin_monotonic_ns'
       AND off_cpu.start_ns + meta.value BETWEEN ${begin.at} AND ${end.at}`,
  );
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([key, number]) => [key, Number(number)]),
  );
}

/** What CPU 0 has spent on interrupts or lost to other machines: the kernel charges it to nobody. */
function unchargedNs(): number {
  const [, line] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [, , , , , , irq, softirq, steal] = (line ?? '').split(' ').map(Number);
  return ((irq ?? 0) + (softirq ?? 0) + (steal ?? 0)) * 1e7;
}

describeWith(['agent', 'bpf'], 'the kernel’s own accounting', () => {
  test('is what the trace adds up to, for each thread', async () => {
    const recording = await record([standIn('account'), '2']);
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    for (const account of recording.report() as Account[]) {
      const { name, begin, end } = account;
      const traced = tracedFigures(recording.file, account);
      const compare = (figure: keyof Figures, slack: number) =>
        expectAgreement(
          `${name} ${figure}`,
          traced[figure] ?? -1,
          end[figure] - begin[figure],
          slack,
        );
      compare('voluntary', 2);
      compare('involuntary', 2);
      // A wait can't count for more than its interval. The kernel's may: a wake-up that preempts dates
      // the wait by its own clock, microseconds before the switch.
      const { runDelay = -1, offCpu = -1 } = traced;
      const delay = Math.min(end.runDelay - begin.runDelay, offCpu);
      expectAgreement(`${name} runDelay`, runDelay, delay, 200_000);
      compare('major', 1);
      // The faults and the time of the last slice, which no switch reported: one round, two ticks.
      compare('minor', 1100);
      compare('run', 8_000_000);
    }
  });

  test('intervals off the CPU of a thread never overlap, and what lies between it was on one', async () => {
    const unchargedBefore = unchargedNs();
    const recording = await record([standIn('account'), '1']);
    expect(recording.code, recording.stderr).toBe(0);
    const uncharged = unchargedNs() - unchargedBefore;
    const { file } = recording;
    const overlaps = `SELECT count(*) FROM (SELECT start_ns,
        lag(start_ns + duration_ns) OVER (PARTITION BY thread_id ORDER BY start_ns) AS before
      FROM off_cpu) WHERE before > start_ns`;
    expect(value(file, overlaps)).toBe(0);
    const between = query(
      file,
      `SELECT tid, sum(start_ns - before) AS gap, sum(executed_ns) AS executed FROM (
         SELECT tid, off_cpu.start_ns, executed_ns,
           lag(off_cpu.start_ns + duration_ns) OVER (PARTITION BY thread_id ORDER BY off_cpu.start_ns) AS before
         FROM off_cpu JOIN thread ON thread.id = thread_id
       ) WHERE before IS NOT NULL GROUP BY tid`,
    );
    const accounts = recording.report() as Account[];
    for (const { name, tid } of accounts.filter((each) => each.name.startsWith('acc-spin'))) {
      const row = between.find((each) => each.tid === tid);
      expect((Number(row?.executed) + uncharged) / Number(row?.gap), name).toBeGreaterThan(0.9);
      expect(Number(row?.executed) / Number(row?.gap), name).toBeLessThan(1.02);
    }
  });
});

interface Span {
  readonly startNs: number;
  readonly endNs: number;
}

function spans(file: string, table: string, condition: string): Span[] {
  return query(
    file,
    `SELECT ${table}.start_ns AS startNs, ${table}.start_ns + duration_ns AS endNs
     FROM ${table} JOIN thread ON thread.id = thread_id WHERE ${condition} ORDER BY 1`,
  ).map(toSpan);
}

const toSpan = ({ startNs, endNs }: ReturnType<typeof query>[number]): Span => ({
  startNs: Number(startNs),
  endNs: Number(endNs),
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

const lengthNs = (all: readonly Span[]) => sum(all.map(({ startNs, endNs }) => endNs - startNs));

/** ns of `all` inside `span`. */
function insideNs(all: readonly Span[], span: Span): number {
  const overlaps = all.map(
    ({ startNs, endNs }) => Math.min(endNs, span.endNs) - Math.max(startNs, span.startNs),
  );
  return sum(overlaps.filter((ns) => ns > 0));
}

describeWith(['agent', 'bpf'], 'who held the CPU', () => {
  test('while a traced thread waited for it has the name it gave itself', async () => {
    const rival = spawn(standIn('spin'), ['30', '0', 'rival-spinner'], { stdio: 'ignore' });
    onTestFinished(() => void rival.kill('SIGKILL'));
    const recording = await record([standIn('spin'), '1', '0', 'traced-spinner']);
    rival.kill('SIGKILL');
    expect(recording.code, recording.stderr).toBe(0);
    expectWhole(recording);
    // Before it went to CPU 0 it may have waited on another; where the switch back to it was not
    // seen (nobody is named as having left for it), nor was that of who left. While it sleeps, as it
    // does until it is recorded, it waits for no CPU.
    const waits = query(
      recording.file,
      `SELECT off_cpu.start_ns + duration_ns - run_queue_ns AS startNs,
         off_cpu.start_ns + duration_ns AS endNs
       FROM off_cpu JOIN thread ON thread.id = thread_id
       WHERE thread.name = 'traced-spinner' AND cpu_out = 0 AND cpu_in = 0
         AND previous_thread_id IS NOT NULL ORDER BY 1`,
    ).map(toSpan);
    const waitedNs = lengthNs(waits);
    expect(waitedNs).toBeGreaterThan(200e6);
    const others = spans(recording.file, 'on_cpu', `cpu = 0 AND thread.name <> 'traced-spinner'`);
    const heldNs = sum(waits.map((wait) => insideNs(others, wait)));
    expect(heldNs / waitedNs).toBeGreaterThan(0.97);
    // Never two at once, and none that began before the recording is longer than what lies in it.
    const both = `SELECT count(*) FROM (SELECT start_ns,
        lag(start_ns + duration_ns) OVER (PARTITION BY cpu ORDER BY start_ns) AS before
      FROM on_cpu) WHERE before > start_ns`;
    expect(value(recording.file, both)).toBe(0);
    expect(heldNs / waitedNs).toBeLessThan(1.001);
    const rivals = spans(
      recording.file,
      'on_cpu',
      `cpu = 0 AND tid = ${rival.pid} AND thread.name = 'rival-spinner'`,
    );
    // Others may want the CPU as well.
    expect(lengthNs(rivals)).toBeGreaterThan(10e6);
  });
});
