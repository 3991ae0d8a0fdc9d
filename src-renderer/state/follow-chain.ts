import type { ChainSegment, WaitChain } from '../../src-main/shared/answers/wait-chain.ts';
import type { EventRef } from '../../src-main/shared/model/event-ref.ts';
import { formatDuration } from '../../src-main/shared/text/units.ts';
import { threadLabelText } from '../../src-main/shared/words/thread-label-text.ts';
import type { TimeWindow } from '../../src-main/timeline/model/time-window.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './common/command-registry.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import type { Occurrence } from './investigation/walk.svelte.ts';

/** What a screen reader says of the segment one has gone to. */
function spokenSegment(chain: WaitChain, index: number, rank: number | undefined): string {
  const segment = chain.segments[index];
  if (segment === undefined) return '';
  const { thread, reason, proof, startNs, endNs } = segment;
  const all = chain.segments.length;
  const place =
    rank === undefined
      ? `Wait chain, ${index + 1} of ${all}`
      : `Wait chain, ${rank + 1} of ${all} by length`;
  return `${place}: ${threadLabelText(thread)}, ${reason}, ${formatDuration(endNs - startNs)}, ${proof}`;
}

/** `rank`: of those by length, where it is gone through so. */
function show(
  investigation: InvestigationState,
  segment: ChainSegment | undefined,
  rank?: number,
): void {
  const { chain, timeline } = investigation;
  if (segment === undefined || chain.value === undefined) return;
  investigation.showTab('timeline');
  void timeline?.showMoment({
    event: segment.event,
    thread: segment.thread.thread,
    cpu: segment.cpu,
    window: segment,
    spoken: spokenSegment(chain.value, chain.index, rank),
    own: (event) => chain.own(event),
  });
}

/** Goes to a segment of the chain on the screen: to its event, on its thread's track. */
export function showSegment(investigation: InvestigationState, index: number): void {
  show(investigation, investigation.chain.goTo(index));
}

/** Jumps to an event behind a figure of the panel; the panel stays as it is. */
export function showBehind(investigation: InvestigationState, ref: EventRef): void {
  investigation.showTab('timeline');
  const own = investigation.chain.own(ref);
  investigation.selection.selectEvent(own);
  void investigation.timeline?.leadTo(own);
}

/** Goes to one of several places where the same happened. */
export function showOccurrence(
  investigation: InvestigationState,
  place: Occurrence | undefined,
): void {
  if (place?.event !== undefined) showBehind(investigation, place.event);
  else if (place !== undefined) {
    const { window, thread, finding } = place;
    const { startNs, endNs } = window;
    showStretch(investigation, window);
    if (thread === undefined) return;
    const title = `Range of ${formatDuration(endNs - startNs)}`;
    investigation.askChain({ title, thread, startNs, endNs, finding });
  }
}

/** Shows a stretch of time on the timeline, with the tracks that tell of it on top. */
export function showStretch(investigation: InvestigationState, window: TimeWindow): void {
  const { startNs, endNs } = window;
  investigation.showTab('timeline');
  investigation.selection.selectRange({ startNs, endNs });
  investigation.timeline?.tracks.lead();
  investigation.timeline?.viewport.fit(startNs, endNs);
}

/** Shows on the timeline what the picture of the Overview is about: the same rows, in the same order, on top of all others. */
export function showFocus(investigation: InvestigationState): void {
  const { stretch } = investigation.focus;
  if (stretch === undefined) return;
  investigation.timeline?.tracks.arrange(true);
  showStretch(investigation, stretch);
  if (stretch.isWait) investigation.askChain(stretch);
}

/** `[` and `]`: along the wait chain, by the length of its parts or in order of time, as the settings say. */
export function chainCommands({ investigation, toasts, settings }: AppState): CommandActions {
  const follow = (by: -1 | 1) => () => {
    const { chain } = investigation;
    const { chainOrder } = settings.value;
    if ((chain.value?.segments.length ?? 0) > 0) {
      const segment = chain.step(by, chainOrder);
      const rank = chain.longestFirst.indexOf(chain.index);
      show(investigation, segment, chainOrder === 'length' ? rank : undefined);
    } else
      toasts.show(
        'There is no wait chain to follow: select a CUDA call, or a range and ask for its chain.',
      );
  };
  return { 'chain-back': follow(-1), 'chain-on': follow(1) };
}
