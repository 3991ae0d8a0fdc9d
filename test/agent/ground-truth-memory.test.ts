import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { streamEmptyAt } from '../../src-main/analysis/outstanding/stream-empty.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { HostMemoryKind } from '../../src-main/shared/model/codes.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { openRecording, record, scratchFolder } from '../support/agent/agent.ts';
import { told, train, trainingCommand, trainUndisturbed } from '../support/agent/diagnosed.ts';
import { describeWith } from '../support/requirements.ts';

/** Copies of which is known where they came from and what was before them. */

/** What is said of the host memory of every copy: its kind, and how that is known. */
function memoryOfCopies(trace: Trace): Map<string, number> {
  const { rows, columns } = trace.tables.cuda_call;
  const said = new Map<string, number>();
  for (let row = 0; row < rows; row++) {
    if (trace.names[columns.op[row]] !== 'cudaMemcpyAsync') continue;
    const { kind, basis } = explainCall(trace, row).hostMemory;
    said.set(`${kind} ${basis}`, (said.get(`${kind} ${basis}`) ?? 0) + 1);
  }
  return said;
}

function kindsOf(said: Map<string, number>): HostMemoryKind[] {
  return [...said.keys()].map((each) => each.split(' ')[0] as HostMemoryKind);
}

describeWith(['agent', 'bpf', 'torch'], 'a copy', () => {
  test.each([
    ['pageable', []],
    ['pinned', ['--pinned']],
  ] as const)('of %s memory is known as that, each', async (kind, options) => {
    const job = await train(['--workers', '1', ...options]);
    expect([...memoryOfCopies(job.trace)]).toEqual([[`${kind} exact`, job.report.copies]]);
  });

  test('of pageable memory behind 200 ms of kernels is not what is slow', async () => {
    const options = ['--workers', '1', '--no-wait', '--items', '640', '--features', '4096'];
    const job = await trainUndisturbed(options, {
      env: { STALLTRACE_STAND_IN_KERNEL_US: '10000' },
    });
    const { columns, rows } = job.trace.tables.cuda_call;
    const copies = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => job.trace.names[columns.op[row]] === 'cudaMemcpyAsync',
    );
    expect(copies.length).toBe(job.report.copies);
    for (const row of copies.slice(1)) expect(streamEmptyAt(job.trace, row)).not.toBe(true);
    expect(job.diagnosis.verdict, told(job)).toBe('compute-bound');
    expect(job.ids, told(job)).not.toContain('pin-memory');
  });

  test.each([
    ['pageable', []],
    ['pinned', ['--pinned']],
  ] as const)(
    'of %s memory is never called the other where the recording began later',
    async (kind, options) => {
      const report = join(scratchFolder(), 'job.json');
      const endless = ['--workers', '1', '--persistent', '--epochs', '1000', '--items', '640'];
      const [program = '', ...args] = trainingCommand(report, [...endless, ...options]);
      const job = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
      onTestFinished(() => void job.kill('SIGKILL'));
      await new Promise((resolve) => job.stdout?.once('data', resolve));
      const recording = await record([], { args: ['--pid', String(job.pid), '--duration', '1s'] });
      job.kill('SIGKILL');
      expect(recording.code, recording.stderr).toBe(0);
      const said = memoryOfCopies(withRoles(openRecording(recording.file)));
      expect(said.size).toBeGreaterThan(0);
      for (const each of kindsOf(said)) expect(['unknown', kind]).toContain(each);
    },
  );
});
