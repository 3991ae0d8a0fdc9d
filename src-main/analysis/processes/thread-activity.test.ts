import { expect, test } from 'vitest';
import { loaderTrace } from '../testing/loader-trace.ts';
import { activityOfThread, comparedActivity } from './thread-activity.ts';

test('what runs are compared by is what is told of a thread, in any stretch of time', () => {
  const trace = loaderTrace({ batches: 4, batchNs: 1_000_000 });
  const { lengthNs } = trace.meta;
  for (let part = 0; part < 40; part++)
    for (const thread of trace.threads.keys()) {
      const startNs = (part * lengthNs) / 50;
      const span = { startNs, endNs: startNs + ((part % 7) * lengthNs) / 10, isWhole: false };
      const { cpuNs, runnableNs, switches, minorFaults, majorFaults } = activityOfThread(
        trace,
        thread,
        span,
      );
      const told = { cpuNs, runnableNs, switches, minorFaults, majorFaults };
      expect(comparedActivity(trace, thread, span)).toEqual(told);
    }
});
