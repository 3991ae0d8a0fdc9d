import { untrack } from 'svelte';
import type { EventRef } from '../../src-main/shared/model/event-ref.ts';
import type { EventHit } from '../../src-main/timeline/view/locate-event.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import { toldStretch } from './investigation/told-stretch.ts';
import { rangeThread } from './timeline/range-thread.ts';

/** Asks for what there is to say of the selected event; for an effect, which it makes depend on the selection. */
export function followEvent(investigation: InvestigationState, traceId: string): void {
  const { event } = investigation.selection;
  const other = investigation.timeline?.workedOut;
  untrack(() => askOf(investigation, traceId, event, other));
}

function askOf(
  investigation: InvestigationState,
  traceId: string,
  event: EventRef | undefined,
  other: EventHit | undefined,
): void {
  const { asking, chain, data, explanation } = investigation;
  // A figure of the panel led there: the panel stays as it is.
  const isFromPanel = chain.isOwn(event ?? other);
  const stretch = data && other && toldStretch(data, other);
  if (isFromPanel) asking.renew();
  // It does not open a panel that was closed, nor lay it over a small window.
  else if (stretch !== undefined) asking.ask(stretch);
  else if (event !== undefined || other !== undefined) asking.giveWay();
  else {
    asking.comeBack();
    asking.renew();
    explanation.clear();
  }
  if (event !== undefined && !isFromPanel) askOfRow(investigation, traceId, event);
}

/** The call that was explained is kept while another kind of event is looked at: it is the way back. */
function askOfRow(
  { explanation, rows, selection, source }: InvestigationState,
  traceId: string,
  event: EventRef,
): void {
  if (event.table === 'cuda_call') void explanation.explain(traceId, event.row);
  else void rows.ask(traceId, event, 'selected');
  // The call that asked for it: its stack is shown, and it is the next one goes to.
  if (event.table === 'gpu_work') void explainSubmitter();

  async function explainSubmitter(): Promise<void> {
    const { call = -1 } = (await source?.select(event))?.submission ?? {};
    if (call >= 0 && selection.event === event) await explanation.explain(traceId, call);
  }
}

/** A range must rest this long before it is explained: while it is dragged that would be asked again and again. */
const REST_MS = 250;

/** Whose time the selected range is explained by, as far as it is known now. */
export function rangeWaiter({
  selection,
  timeline,
}: InvestigationState): ReturnType<typeof rangeThread> {
  return timeline && selection.range && rangeThread(timeline, selection.range);
}

/**
 * Explains a range that rests, once, whatever has the focus later; for an effect, as `followEvent` is. `isWaiterKnown`:
 * whether there are tracks yet.
 */
export function followRange(
  investigation: InvestigationState,
  isWaiterKnown: boolean,
): (() => void) | undefined {
  const { asking, selection } = investigation;
  const { range } = selection;
  if (range === undefined) untrack(() => asking.endRange());
  if (range === undefined || !isWaiterKnown || !asking.isDue(range)) return undefined;
  const timer = setTimeout(() => {
    const waiter = rangeWaiter(investigation);
    if (waiter !== undefined)
      asking.explainRange(range, { title: `Range on ${waiter.label}`, thread: waiter.thread });
  }, REST_MS);
  return () => clearTimeout(timer);
}
