import { choosesEvents } from '../../../src-main/timeline/track-filter.ts';
import type { TimelineCommand } from '../../lib/keys.ts';
import type { TimelineState } from './timeline.svelte.ts';

/** What a command needs from the screen. */
interface CommandScreen {
  focusFilter(): void;
  openGoTo(): void;
  openHelp(): void;
}

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.1;
const FAST = 5;

function clear({ selection }: TimelineState): void {
  if (selection.range !== undefined) selection.selectRange(undefined);
  else selection.selectEvent(undefined);
}

function stepMatch(timeline: TimelineState, by: 1 | -1): void {
  if (choosesEvents(timeline.tracks.filter)) timeline.stepMatch(by);
}

/** Does what a key asks for. `fast` = with Shift. */
export function runCommand(
  command: TimelineCommand,
  timeline: TimelineState,
  screen: CommandScreen,
  fast: boolean,
): void {
  const { viewport, tracks } = timeline;
  const row = tracks.focused;
  const panStep = PAN_STEP * (fast ? FAST : 1);
  const actions: Readonly<Record<TimelineCommand, () => void>> = {
    'zoom-in': () => viewport.zoom(ZOOM_STEP),
    'zoom-out': () => viewport.zoom(1 / ZOOM_STEP),
    'pan-left': () => viewport.pan(-panStep),
    'pan-right': () => viewport.pan(panStep),
    'previous-event': () => timeline.stepEvent(-1),
    'next-event': () => timeline.stepEvent(1),
    'previous-track': () => tracks.step(-1),
    'next-track': () => tracks.step(1),
    'focus-fit': () => timeline.focusThenFit(),
    'show-all': () => viewport.showAll(),
    'view-back': () => viewport.back(),
    'next-slow-call': () => timeline.stepSlowCall(1),
    'previous-slow-call': () => timeline.stepSlowCall(-1),
    'next-match': () => stepMatch(timeline, 1),
    'previous-match': () => stepMatch(timeline, -1),
    'go-to-time': () => screen.openGoTo(),
    filter: () => screen.focusFilter(),
    'event-to-range': () => timeline.rangeFromSelection(),
    clear: () => clear(timeline),
    pin: () => row?.kind === 'track' && tracks.togglePinned(row.id),
    hide: () => row?.kind === 'track' && tracks.hide(row.id),
    expand: () => row !== undefined && tracks.toggleExpanded(row),
    help: () => screen.openHelp(),
  };
  actions[command]();
}
