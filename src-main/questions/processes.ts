import { z } from 'zod';
import { type ProcessBreakdowns, timeSpan } from '../shared/answers/process-breakdown.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** What every process did over a range, else over the whole trace. */
export const processes = defineQuestion({
  arguments: z.strictObject({ span: timeSpan }),
  result: returns<ProcessBreakdowns>(),
  errors: [],
  longWork: () => 'statistics',
  async answer({ trace }, { span: { startNs, endNs } }) {
    const { processBreakdown } = await import('../analysis/processes/process-breakdown.ts');
    const span = startNs === undefined || endNs === undefined ? undefined : { startNs, endNs };
    return ok(processBreakdown(trace, span));
  },
});
