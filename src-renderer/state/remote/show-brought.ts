import type { Api } from '../../../src-main/contract/api.ts';
import type { OperationStats } from '../../../src-main/shared/answers/operations.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { InvestigationState } from '../investigation/investigation.svelte.ts';
import type { Opener } from '../investigation/opener.svelte.ts';

const LOOKED_FOR = 'cudaMemcpyAsync';

/** The row of the slowest cudaMemcpyAsync, or else of the slowest call. */
export function slowestRow(operations: readonly OperationStats[]): number | undefined {
  const slowestFirst = operations
    .filter(({ slowestCall }) => slowestCall !== undefined)
    .sort((one, other) => other.maxNs - one.maxNs);
  const copy = slowestFirst.find(({ name }) => name === LOOKED_FOR);
  return (copy ?? slowestFirst[0])?.slowestCall;
}

/** Opens what a capture brought: on the timeline, its slowest copy selected and explained. */
export async function showBrought(
  api: Api,
  opener: Pick<Opener, 'openEntry'>,
  state: InvestigationState,
  brought: Investigation,
): Promise<void> {
  await opener.openEntry(brought);
  const { opened } = state;
  if (opened?.investigation.id !== brought.id) return;
  state.showTab('timeline');
  const { traceId } = opened;
  const operations = await api.call('trace.operations', { traceId, bySize: false });
  // Whoever chose something meanwhile knows better.
  if (state.opened?.traceId !== traceId || state.selection.event !== undefined) return;
  const row = operations.ok ? slowestRow(operations.value) : undefined;
  if (row !== undefined) state.selectCall(row, 'timeline');
}
