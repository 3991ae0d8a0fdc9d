import { z } from 'zod';
import type { OperationStats } from '../shared/answers/operations.ts';
import { ok } from '../shared/rpc/result.ts';
import { returns } from '../shared/rpc/rpc.ts';
import { defineQuestion } from './question.ts';

/** Statistics per source, operation, direction and, where asked, size bucket. */
export const operations = defineQuestion({
  arguments: z.strictObject({ bySize: z.boolean() }),
  result: returns<readonly OperationStats[]>(),
  errors: [],
  longWork: () => 'statistics',
  isKept: true,
  async answer({ trace }, { bySize }) {
    const { operationStats } = await import('../analysis/operations/operations.ts');
    return ok(operationStats(trace, { bySize }));
  },
});
