import { formatCount } from '../../src-main/shared/text/units.ts';
import { callOfWork, workOfCall } from '../../src-main/timeline/model/submissions.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './common/command-registry.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import type { TimelineState } from './timeline/timeline.svelte.ts';

const NOTHING_SELECTED = 'Select a CUDA call or a piece of GPU work first.';
const NO_WORK = 'This call asked for no GPU work that is recorded.';
const NO_CALL = 'Which call asked for this GPU work is not recorded.';

function goToWork(timeline: TimelineState, works: Uint32Array, at: number): string | undefined {
  const row = works[at];
  if (row === undefined) return NO_WORK;
  const place = `GPU work ${formatCount(at + 1)} of ${formatCount(works.length)}: `;
  timeline.goToEvent({ table: 'gpu_work', row }, place);
  return undefined;
}

/** From a call to the first of its GPU work, from GPU work to its call; else why that is not possible. */
function follow({ selection, timeline }: InvestigationState): string | undefined {
  const { event } = selection;
  if (timeline === undefined) return NOTHING_SELECTED;
  const { tables } = timeline.data;
  if (event?.table === 'cuda_call') return goToWork(timeline, workOfCall(tables, event.row), 0);
  if (event?.table !== 'gpu_work') return NOTHING_SELECTED;
  const row = callOfWork(tables, event.row);
  if (row < 0) return NO_CALL;
  timeline.goToEvent({ table: 'cuda_call', row }, 'The call that asked for it: ');
  return undefined;
}

/** From one piece of work to the next of the same call, behind the last to the first. */
function next({ selection, timeline }: InvestigationState): string | undefined {
  const { event } = selection;
  if (timeline === undefined || event?.table !== 'gpu_work') return NOTHING_SELECTED;
  const { tables } = timeline.data;
  const row = callOfWork(tables, event.row);
  if (row < 0) return NO_CALL;
  const works = workOfCall(tables, row);
  return goToWork(timeline, works, (works.indexOf(event.row) + 1) % works.length);
}

/** `J`: from a CUDA call to what the GPU did for it and back. */
export function submissionCommands({ investigation, toasts }: AppState): CommandActions {
  const run = (act: (investigation: InvestigationState) => string | undefined) => () => {
    const problem = act(investigation);
    if (problem === undefined) investigation.showTab('timeline');
    else toasts.show(problem);
  };
  return { 'follow-submission': run(follow), 'next-submission': run(next) };
}
