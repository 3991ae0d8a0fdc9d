import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { expectWhole, record, scratchFolder } from '../support/agent/agent.ts';
import { cudart, query, STACK_FRAMES, value } from '../support/agent/agent-run.ts';
import { root } from '../support/built.ts';
import { describeWith } from '../support/requirements.ts';

/** Long waits of main threads come with their stack unasked: a loop without workers tells what it waited for. */

const script = join(root, 'test/agent/jobs/waits_in_main.py');

interface Report {
  readonly pid: number;
  /** Threads beside the main one that made CUDA calls. */
  readonly beside: readonly number[];
  readonly inputSeconds: number;
  readonly ownSeconds: number;
}

async function train(options: readonly string[]) {
  const report = join(scratchFolder(), 'job.json');
  const job = ['/usr/bin/python3', script, '--library', cudart, '--report', report];
  const recording = await record([...job, ...options], { args: ['--library', cudart] });
  expect(recording.code, recording.stderr).toBe(0);
  const trace = withRoles(expectWhole(recording));
  const { diagnosis, ranks } = diagnose(trace);
  const truth = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const [rank] = ranks;
  if (rank === undefined) throw new Error('no rank was found');
  const findings = diagnosis.findings.map(({ id, sentence }) => `${id}: ${sentence}`).join('\n');
  return { file: recording.file, trace, truth, inputNs: rank.facts.split.input, findings };
}

/** A thread's sleeps of 5 ms and more from its first to its last CUDA call: how many at which innermost line of Python; 0 = no stack. */
function longWaits(file: string, tid: number, of = '') {
  const rows = query(
    file,
    `${STACK_FRAMES}, trained AS (SELECT min(cuda_call.start_ns) AS from_ns, max(cuda_call.start_ns) AS to_ns FROM cuda_call
       JOIN thread ON thread.id = thread_id WHERE tid = ${tid})
     SELECT coalesce((SELECT line FROM stack_frame WHERE stack_frame.stack_id = off_cpu.stack_id
              AND language = 'python' ORDER BY position LIMIT 1), 0) AS line, count(*) AS n
     FROM off_cpu JOIN thread ON thread.id = thread_id, trained
     WHERE tid = ${tid} AND off_cpu.duration_ns >= 5000000 AND (state & 127) <> 0
       AND off_cpu.start_ns BETWEEN from_ns AND to_ns ${of} GROUP BY 1`,
  );
  return new Map(rows.map(({ line, n }) => [Number(line), Number(n)]));
}

const FUTEX = process.arch === 'arm64' ? 98 : 202;

/** On a busy machine the thread may have gone on before its stack is read. */
const UNREAD_AT_MOST = 2;

const lines = readFileSync(script, 'utf8').split('\n');
const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1;

describeWith(['agent', 'bpf', 'torch'], 'long waits of a main thread', () => {
  test('in the dataset are input, each at its line', async () => {
    const { file, truth, inputNs, findings } = await train(['--item-wait', '0.008']);
    const waits = longWaits(file, truth.pid);
    // Half of 120 samples each; on a busy machine it waits elsewhere too, and a read finds its byte there.
    expect(waits.get(lineOf('time.sleep(self.options.item_wait)'))).toBeGreaterThan(50);
    expect(waits.get(lineOf('os.read(self.pipe, 1)'))).toBeGreaterThan(30);
    expect(waits.get(0) ?? 0).toBeLessThanOrEqual(UNREAD_AT_MOST);
    expect(inputNs).toBeLessThanOrEqual(truth.inputSeconds * 1e9);
    expect(inputNs).toBeGreaterThan(truth.inputSeconds * 1e9 * 0.9);
    expect(findings).toContain('workers-zero: There is no DataLoader worker');
    expect(findings).toContain('it slept, mostly in Rows.');
  });

  test('outside of the dataset are none of the input; the trace says which waits have a stack', async () => {
    const { file, trace, truth, inputNs, findings } = await train(['--own-wait', '0.01']);
    const waits = longWaits(file, truth.pid);
    expect(waits.get(lineOf('time.sleep(seconds)'))).toBeGreaterThan(50);
    expect(waits.get(0) ?? 0).toBeLessThanOrEqual(UNREAD_AT_MOST);
    // On a busy machine it waits for the interpreter's lock at the same line: that is no sleep.
    const beside = longWaits(file, truth.beside[0] ?? 0, `AND syscall IS NOT ${FUTEX}`);
    expect(beside.get(lineOf('time.sleep(0.02)'))).toBe(9);
    expect(beside.has(0)).toBe(false);
    expect(inputNs).toBeLessThanOrEqual(truth.inputSeconds * 1e9);
    expect(inputNs).toBeLessThan(truth.ownSeconds * 1e9 * 0.1);
    expect(findings).not.toContain('workers-zero');
    const { stack } = trace.tables.off_cpu.columnProvenance;
    expect(stack?.kind).toBe('partial');
    expect(stack?.note).toContain('5 ms or more of the main thread');
    // A thread that is neither a main one nor submits work has none.
    const others = `SELECT count(*) FROM off_cpu JOIN thread ON thread.id = thread_id
      JOIN process ON process.id = process_id WHERE tid <> pid AND stack_id IS NOT NULL
        AND thread.id NOT IN (SELECT thread_id FROM cuda_call)`;
    expect(value(file, others)).toBe(0);
  });
});
