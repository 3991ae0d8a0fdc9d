import type { EventRef } from '../../shared/model/event-ref.ts';
import { callOfWork, workOfCall } from '../model/submissions.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { Track } from '../model/track-model.ts';
import { type EventHit, locateEvent } from './locate-event.ts';

/** More than these nobody tells apart: one graph may have thousands of nodes. */
const MAX_LINKED = 200;

/** A CUDA call and what the GPU did for it, where the timeline shows them. */
export interface SubmissionLinks {
  readonly call: EventHit;
  /** In order of start, the first MAX_LINKED; of selected work itself alone. */
  readonly works: readonly EventHit[];
}

/** What the selected event is linked with: a call with its GPU work, or GPU work with the call that asked for it. */
export function submissionLinks(
  data: TraceData,
  tracks: readonly Track[],
  selected: EventRef | undefined,
): SubmissionLinks | undefined {
  if (selected === undefined) return undefined;
  const { table, row } = selected;
  if (table !== 'cuda_call' && table !== 'gpu_work') return undefined;
  const isCall = table === 'cuda_call';
  const callRow = isCall ? row : callOfWork(data.tables, row);
  const workRows = isCall ? workOfCall(data.tables, row).subarray(0, MAX_LINKED) : [row];
  if (callRow < 0 || workRows.length === 0) return undefined;
  const call = locateEvent(data, tracks, { table: 'cuda_call', row: callRow });
  if (call === undefined) return undefined;
  const works = Array.from(workRows, (at) =>
    locateEvent(data, tracks, { table: 'gpu_work', row: at }),
  ).filter((hit) => hit !== undefined);
  return { call, works };
}
