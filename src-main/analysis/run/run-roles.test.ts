import { expect, test } from 'vitest';
import { jobsOf } from '../jobs/job-index.ts';
import { loaderTrace } from '../testing/loader-trace.ts';
import { runRoles } from './run-roles.ts';

test('what the threads of a rank did is told by role, for each step', () => {
  const trace = loaderTrace({ batches: 4, batchNs: 1_000_000 });
  const [rank] = jobsOf(trace).flatMap(({ ranks }) => ranks);
  const steps = {
    startsNs: new Float64Array(2),
    endsNs: new Float64Array(2),
    ...{ before: 0, groupSize: 1, groups: 2, window: [0, trace.meta.lengthNs] as const },
  };
  const { roles, atLeast } = runRoles(trace, rank, steps);
  const { thread } = trace.tables.off_cpu.columns;
  const workers = roles.find(({ role }) => role === 'dataloader-worker');
  const isWorker = (each: number) => trace.threads[each]?.role === 'dataloader-worker';
  const switches = Array.from(thread).filter(isWorker).length;
  expect(switches).toBeGreaterThan(0);
  expect(workers?.aStep.switches).toBe(switches / 2);
  expect(roles[0]?.role).toBe('main');
  // The last slice of a thread ends in no switch.
  expect(atLeast).toContain('cpuNs');
  expect(atLeast).not.toContain('switches');
});
