import { describe, expect, test } from 'vitest';
import { explainCall } from '../analysis/call/explain-call.ts';
import { operationStats } from '../analysis/operations/operations.ts';
import { rangeOperations } from '../analysis/operations/range-operations.ts';
import { GpuJob, gpuTrace, MS } from '../analysis/testing/gpu-job.ts';
import { gpuWorkSummary } from '../app/trace-process/gpu-work-summary.ts';
import { traceNames } from '../timeline/model/trace-names.ts';
import { fakeSummary } from '../timeline/testing/fake-summary.ts';
import { momentOf } from './moment.ts';

const MANGLED = '_ZN2at6native13reduce_kernelILi4EfEEvPT0_i';
const READABLE = 'void at::native::reduce_kernel<4, float>(float*, int)';

/** A copy behind two kernels, whose names are recorded as the compiler made them. */
function mangledTrace() {
  const job = new GpuJob();
  job.launch(2 * MS);
  job.launch(2 * MS);
  job.copy({ mib: 10 });
  const trace = gpuTrace([job]);
  const names = trace.names.map((name) => (name === 'gemm' ? MANGLED : name));
  return { ...trace, names };
}

describe('the mangled name of a kernel is readable', () => {
  const trace = mangledTrace();
  const copy = trace.tables.cuda_call.columns.op.findIndex((op) => /Memcpy/.test(trace.names[op]));

  test('in statistics, of a range too; how the file has it stands beside it', () => {
    const { lengthNs } = trace.meta;
    for (const stats of [
      operationStats(trace, { bySize: true }),
      rangeOperations(trace, 0, lengthNs),
    ]) {
      const kernel = stats.find(({ recordedName }) => recordedName === MANGLED);
      expect(kernel).toMatchObject({ name: READABLE, shortName: 'reduce_kernel', count: 2 });
      expect(stats.filter(({ name }) => name.startsWith('_Z'))).toEqual([]);
    }
  });

  test('in what a call waited for, and in what it launched', () => {
    const told = explainCall(trace, copy);
    expect(told.headline).toContain('(2 × reduce_kernel)');
    expect(JSON.stringify([told, explainCall(trace, 0)])).not.toContain('_Z');
    expect(explainCall(trace, 0).gpuWork?.shown[0]?.name).toBe(READABLE);
  });

  test('in the chart of a report, by its base name', () => {
    const data = { traceId: 't', summary: fakeSummary({}), tables: {} };
    const bars = momentOf(trace, data, { call: copy })?.lanes.flatMap((lane) => lane.bars) ?? [];
    const drawn = bars.filter(({ kind }) => kind === 'gpu').map(({ name }) => name);
    expect(new Set(drawn)).toEqual(new Set(['reduce_kernel', 'Memcpy HtoD']));
  });

  test('wherever the page looks a name up', () => {
    const summary = fakeSummary({}, { names: trace.names, gpuWork: gpuWorkSummary(trace) });
    expect(traceNames(summary).name(trace.names.indexOf(MANGLED))).toBe(READABLE);
  });
});
