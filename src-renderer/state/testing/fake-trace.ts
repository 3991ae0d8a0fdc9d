import type { OpenedTrace } from '../../../src-main/shared/contract/trace-calls.ts';
import type { TableName } from '../../../src-main/shared/model/schema.ts';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { fakeInvestigation } from './fake-api.ts';

export const TRACE_ID = '11111111-1111-4111-8111-111111111111';

export function fakeOpened(
  rows: Partial<Record<TableName, number>> = { cuda_call: 2 },
  traceId = TRACE_ID,
): OpenedTrace {
  return { traceId, investigation: fakeInvestigation(), summary: fakeSummary(rows) };
}
