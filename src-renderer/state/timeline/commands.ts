import type { CommandId } from '../../../src-main/shared/commands.ts';
import { choosesEvents } from '../../../src-main/timeline/view/track-filter.ts';
import type { CommandActions } from '../common/command-registry.svelte.ts';
import type { TimelineState } from './timeline.svelte.ts';

/** What a command needs from the screen. */
interface TimelineScreen {
  focusFilter(): void;
  openGoTo(): void;
}

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.1;
const FAST = 5;

function clear(timeline: TimelineState): void {
  const { selection } = timeline;
  if (selection.range !== undefined) selection.selectRange(undefined);
  else timeline.select(undefined);
}

async function stepMatch(timeline: TimelineState, by: 1 | -1): Promise<void> {
  if (choosesEvents(timeline.tracks.filter)) await timeline.stepMatch(by);
}

/** What can be done on the timeline. */
export function timelineCommands(timeline: TimelineState, screen: TimelineScreen): CommandActions {
  const { viewport, tracks } = timeline;
  const onTrack = (act: (id: string) => unknown) => () => {
    if (tracks.focused?.kind === 'track') act(tracks.focused.id);
  };
  const pan = (share: number, fast: boolean) => viewport.pan(share * (fast ? FAST : 1));
  const actions: { readonly [Id in CommandId]?: (fast: boolean) => unknown } = {
    'zoom-in': () => viewport.zoom(ZOOM_STEP),
    'zoom-out': () => viewport.zoom(1 / ZOOM_STEP),
    'pan-left': (fast) => pan(-PAN_STEP, fast),
    'pan-right': (fast) => pan(PAN_STEP, fast),
    'previous-event': () => timeline.stepEvent(-1),
    'next-event': () => timeline.stepEvent(1),
    'previous-track': () => tracks.step(-1),
    'next-track': () => tracks.step(1),
    'focus-fit': () => timeline.focusThenFit(),
    'show-all': () => viewport.showAll(),
    arrange: () => tracks.arrange(!tracks.isArranged),
    'view-back': () => viewport.back(),
    'view-forward': () => viewport.forward(),
    'next-slow-call': () => timeline.stepSlowCall(1),
    'previous-slow-call': () => timeline.stepSlowCall(-1),
    'next-match': () => stepMatch(timeline, 1),
    'previous-match': () => stepMatch(timeline, -1),
    'go-to-time': () => screen.openGoTo(),
    filter: () => screen.focusFilter(),
    'event-to-range': () => timeline.rangeFromSelection(),
    clear: () => clear(timeline),
    pin: onTrack((id) => tracks.togglePinned(id)),
    hide: onTrack((id) => tracks.hide(id)),
    'track-up': onTrack((id) => tracks.move(id, -1)),
    'track-down': onTrack((id) => tracks.move(id, 1)),
    expand: () => {
      if (tracks.focused !== undefined) tracks.toggleExpanded(tracks.focused);
    },
  };
  return Object.fromEntries(
    Object.entries(actions).map(([id, act]) => [
      id,
      (fast: boolean) => timeline.inTurn(() => act(fast)),
    ]),
  );
}
