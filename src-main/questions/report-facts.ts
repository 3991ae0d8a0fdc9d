import { z } from 'zod';
import type { ReportFacts } from '../shared/answers/report.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { hasCall, noCall } from './no-call.ts';
import { defineQuestion } from './question.ts';

/** What a report says of a call and a range; without a call of the slowest copy, else the slowest call. */
export const reportFacts = defineQuestion({
  arguments: z.strictObject({
    call: z.number().int().nonnegative().optional(),
    range: z.strictObject({ startNs: z.number(), endNs: z.number() }).optional(),
  }),
  result: returns<ReportFacts>(),
  errors: ['not-found'],
  longWork: () => 'diagnosis',
  async answer({ trace, summary }, { call, range }) {
    if (!hasCall(trace, call)) return noCall(call);
    const { reportFacts } = await import('../report/report-facts.ts');
    return ok(reportFacts(trace, summary, { call, range }));
  },
});
