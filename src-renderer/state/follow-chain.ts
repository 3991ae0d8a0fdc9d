import type { ChainSegment, WaitChain } from '../../src-main/shared/answers/wait-chain.ts';
import type { EventRef } from '../../src-main/shared/model/event-ref.ts';
import { formatDuration } from '../../src-main/shared/text/units.ts';
import { threadLabelText } from '../../src-main/shared/words/thread-label-text.ts';
import type { AppState } from './app.svelte.ts';
import type { CommandActions } from './common/command-registry.svelte.ts';
import type { InvestigationState } from './investigation/investigation.svelte.ts';
import type { Occurrence } from './investigation/walk.svelte.ts';

/** What a screen reader says of the segment one has gone to. */
function spokenSegment(chain: WaitChain, index: number): string {
  const segment = chain.segments[index];
  if (segment === undefined) return '';
  const { thread, reason, proof, startNs, endNs } = segment;
  const place = `Wait chain, ${index + 1} of ${chain.segments.length}`;
  return `${place}: ${threadLabelText(thread)}, ${reason}, ${formatDuration(endNs - startNs)}, ${proof}`;
}

function show(investigation: InvestigationState, segment: ChainSegment | undefined): void {
  const { chain, timeline } = investigation;
  if (segment === undefined || chain.value === undefined) return;
  investigation.showTab('timeline');
  timeline?.showMoment({
    event: segment.event,
    thread: segment.thread.thread,
    cpu: segment.cpu,
    window: segment,
    spoken: spokenSegment(chain.value, chain.index),
    own: (event) => chain.own(event),
  });
}

/** Goes to a segment of the chain on the screen: to its event, on its thread's track. */
export function showSegment(investigation: InvestigationState, index: number): void {
  show(investigation, investigation.chain.goTo(index));
}

/** Jumps to an event behind a figure of the panel, and pins its track; the panel stays as it is. */
export function showBehind(investigation: InvestigationState, ref: EventRef): void {
  investigation.showTab('timeline');
  const own = investigation.chain.own(ref);
  investigation.selection.selectEvent(own);
  investigation.timeline?.pinTrackOf(own);
}

/** Goes to one of several places where the same happened. */
export function showOccurrence(
  investigation: InvestigationState,
  place: Occurrence | undefined,
): void {
  if (place?.event !== undefined) showBehind(investigation, place.event);
  else if (place !== undefined) {
    investigation.showTab('timeline');
    investigation.selection.selectRange(place.window);
    investigation.timeline?.viewport.fit(place.window.startNs, place.window.endNs);
  }
}

/** `[` and `]`: along the wait chain, towards its cause or its effect. */
export function chainCommands({ investigation, toasts }: AppState): CommandActions {
  const follow = (by: -1 | 1) => () => {
    const { chain } = investigation;
    if ((chain.value?.segments.length ?? 0) > 0) show(investigation, chain.step(by));
    else
      toasts.show(
        'There is no wait chain to follow: select a CUDA call, or a range and ask for its chain.',
      );
  };
  return { 'chain-cause': follow(-1), 'chain-effect': follow(1) };
}
