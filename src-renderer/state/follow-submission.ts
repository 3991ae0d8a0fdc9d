import { formatCount } from '../../src-main/shared/text/units.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './common/command-registry.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import type { TimelineState } from './timeline/timeline.svelte.ts';

const NOTHING_SELECTED = 'Select a CUDA call or a piece of GPU work first.';
const NO_WORK = 'This call asked for no GPU work that is recorded.';
const NO_CALL = 'Which call asked for this GPU work is not recorded.';

async function goToWork(
  timeline: TimelineState,
  call: number,
  count: number,
  at: number,
): Promise<string | undefined> {
  const row = count === 0 ? undefined : await timeline.source.workOf(call, at);
  if (typeof row !== 'number') return NO_WORK;
  const place = `GPU work ${formatCount(at + 1)} of ${formatCount(count)}: `;
  timeline.goToEvent({ table: 'gpu_work', row }, place);
  return undefined;
}

/** From a call to the first of its GPU work, from GPU work to its call; else why that is not possible. */
async function follow({ selection, timeline }: InvestigationState): Promise<string | undefined> {
  const { event } = selection;
  if (timeline === undefined || event === undefined) return NOTHING_SELECTED;
  const { call = -1, count = 0 } = (await timeline.source.select(event))?.submission ?? {};
  if (event.table === 'cuda_call') return goToWork(timeline, call, count, 0);
  if (event.table !== 'gpu_work') return NOTHING_SELECTED;
  if (call < 0) return NO_CALL;
  timeline.goToEvent({ table: 'cuda_call', row: call }, 'The call that asked for it: ');
  return undefined;
}

/** From one piece of work to the next of the same call, behind the last to the first. */
async function next({ selection, timeline }: InvestigationState): Promise<string | undefined> {
  const { event } = selection;
  if (timeline === undefined || event?.table !== 'gpu_work') return NOTHING_SELECTED;
  const { call = -1, count = 0, at = -1 } = (await timeline.source.select(event))?.submission ?? {};
  return call < 0 ? NO_CALL : goToWork(timeline, call, count, (at + 1) % count);
}

/** `J`: from a CUDA call to what the GPU did for it and back. */
export function submissionCommands({ investigation, toasts }: AppState): CommandActions {
  const run = (act: (investigation: InvestigationState) => Promise<string | undefined>) => () => {
    const done = async () => {
      const problem = await act(investigation);
      if (problem === undefined) investigation.showTab('timeline');
      else toasts.show(problem);
    };
    if (investigation.timeline === undefined) void done();
    else investigation.timeline.inTurn(done);
  };
  return { 'follow-submission': run(follow), 'next-submission': run(next) };
}
