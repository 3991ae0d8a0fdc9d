import { z } from 'zod';
import type { BlockRequests } from '../shared/answers/placed-event.ts';
import { moment } from '../shared/library/saved-event.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** The block requests that were under way during a CUDA call; null where block I/O was not recorded. */
export const blockRequests = defineQuestion({
  arguments: z.strictObject({ call: z.int().nonnegative(), startNs: moment, endNs: moment }),
  result: returns<BlockRequests | null>(),
  errors: [],
  answer: async ({ timeline }, { call, startNs, endNs }) =>
    ok(timeline().blockRequests(call, startNs, endNs)),
});
