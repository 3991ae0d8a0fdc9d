import { expect, test } from 'vitest';
import { expectWhole } from '../support/agent/agent.ts';
import { cudart, query, STACK_FRAMES, standIn, value } from '../support/agent/agent-run.ts';
import { expectOffCpuAsBpfHasIt } from '../support/agent/calls-by-both.ts';
import { recordInside, removeRecordings, trouble } from '../support/agent/inside-run.ts';
import { interpreters } from '../support/agent/pythons.ts';
import { describeWith } from '../support/requirements.ts';

/** What is said of a call from inside is what the kernel says of it: BPF on the same run, or known counts. */

removeRecordings();

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
    expectOffCpuAsBpfHasIt(file);
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
