import { expect, test } from 'vitest';
import { expectWhole } from '../support/agent.ts';
import { cudart, query, STACK_FRAMES, standIn, value } from '../support/agent-run.ts';
import { recordInside, removeRecordings, trouble } from '../support/inside-run.ts';
import { interpreters } from '../support/pythons.ts';
import { describeWith } from '../support/requirements.ts';

/** What is said of a call from inside is what the kernel says of it: BPF on the same run, or known counts. */

removeRecordings();

/** Time off the CPU inside calls: by the library's sums, and by BPF's intervals cut to the calls. */
const BOTH = `WITH call AS (
    SELECT rowid AS row, thread_id, start_ns, start_ns + duration_ns AS end_ns, off_cpu_ns, run_queue_ns
    FROM cuda_call WHERE off_cpu_ns IS NOT NULL
  ), wait AS (
    SELECT call.row, sum(min(w.start_ns + w.duration_ns, call.end_ns) - max(w.start_ns, call.start_ns)) AS off_ns,
      sum(min(w.run_queue_ns, call.end_ns - w.start_ns)) AS queue_ns
    FROM call JOIN off_cpu w ON w.thread_id = call.thread_id
      AND w.start_ns < call.end_ns AND w.start_ns + w.duration_ns > call.start_ns
    GROUP BY call.row
  )
  SELECT sum(off_cpu_ns) AS insideOff, sum(off_ns) AS bpfOff, sum(call.run_queue_ns) AS insideQueue,
    sum(queue_ns) AS bpfQueue, count(off_ns) AS waits,
    count(*) FILTER (WHERE off_ns IS NULL AND off_cpu_ns > 0) AS invented
  FROM call LEFT JOIN wait USING (row)`;

describeWith(['agent', 'bpf'], 'calls recorded from inside, with BPF beside it', () => {
  test('are off the CPU as long as the scheduler says', async () => {
    // Sleeps while it waits for the GPU; and more threads than CPUs, which wait for those.
    const env = { STALLTRACE_STAND_IN_BLOCK: '1', STALLTRACE_STAND_IN_PAGEABLE_GBPS: '1' };
    const recording = await recordInside([standIn('calls'), 'count', '60', '8'], {
      bpf: true,
      env,
    });
    expect(recording.code, recording.stderr).toBe(0);
    const { file } = recording;
    expectWhole(recording);
    const [row] = query(file, BOTH);
    const { insideOff, bpfOff, insideQueue, bpfQueue, waits, invented } = row as Record<
      string,
      number
    >;
    expect(waits).toBeGreaterThan(500);
    // One that lost its CPU between the clock and the counters.
    expect(invented).toBeLessThan(Number(waits) / 100);
    const said = JSON.stringify(row);
    expect(Math.abs((insideOff ?? 0) / (bpfOff ?? 1) - 1), said).toBeLessThan(0.01);
    expect(Math.abs((insideQueue ?? 0) / (bpfQueue ?? 1) - 1), said).toBeLessThan(0.03);
    const twice = 'SELECT count(*) - count(DISTINCT tid) FROM thread WHERE tid > 0';
    expect(value(file, twice)).toBe(0);
  });
});

describeWith(['agent'], 'calls recorded from inside', () => {
  test.concurrent('have their page faults', async () => {
    const pages = 200;
    const recording = await recordInside([trouble, 'faults', String(pages)]);
    expect(recording.code, recording.stderr).toBe(0);
    const rows = query(
      recording.file,
      `SELECT minor_faults AS faults FROM cuda_call JOIN name ON name.id = op_id
       WHERE name.text = 'cudaMemcpy' ORDER BY start_ns`,
    ).map(({ faults }) => faults);
    expect(rows).toHaveLength(20);
    // The first one touches the stand-in's own memory too.
    for (const faults of rows.slice(1)) expect(faults).toBe(pages);
  });

  test.concurrent('have the stack they were made in', async () => {
    const recording = await recordInside([trouble, 'waits', '20']);
    const frames = query(
      recording.file,
      `${STACK_FRAMES} SELECT DISTINCT symbol, position FROM cuda_call c JOIN stack_frame f USING (stack_id)
       JOIN name ON name.id = c.op_id WHERE name.text = 'cudaDeviceSynchronize' AND position < 2
       ORDER BY position`,
    ).map((row) => Object.values(row));
    expect(frames[0]).toEqual(['copy', 0]);
  });

  test.concurrent.each(interpreters())('%s: function, file and line', async (python) => {
    const script = [
      'import ctypes, sys',
      'cuda = ctypes.CDLL(sys.argv[1])',
      'def wait():',
      '    cuda.standInOccupy(ctypes.c_uint64(2000000))',
      '    cuda.cudaStreamSynchronize(None)',
      'def step():',
      '    wait()',
      // Once the interpreter has been found, which is looked for five times a second.
      'for _ in range(400): step()',
    ].join('\n');
    const env = { STALLTRACE_STAND_IN_BLOCK: '1' };
    const recording = await recordInside([python, '-c', script, cudart], { env });
    expect(recording.code, recording.stderr).toBe(0);
    const rows = query(
      recording.file,
      `${STACK_FRAMES} SELECT DISTINCT symbol, line FROM stack_frame
       WHERE language = 'python' AND stack_id IN (SELECT stack_id FROM cuda_call) ORDER BY position`,
    ).map((row) => Object.values(row));
    expect(rows).toEqual([
      ['wait', 5],
      ['step', 7],
      ['<module>', 8],
    ]);
  });
});
