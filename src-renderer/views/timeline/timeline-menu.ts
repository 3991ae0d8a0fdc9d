import { MAX_FILTER_LENGTH } from '../../../src-main/shared/rpc/tiles-query.ts';
import { rowAt, rowWithId } from '../../../src-main/timeline/view/find-rows.ts';
import type { Row } from '../../../src-main/timeline/view/layout-tracks.ts';
import { type EventHit, refOf } from '../../../src-main/timeline/view/locate-event.ts';
import { isExpandable, isOpen } from '../../../src-main/timeline/view/row-expansion.ts';
import {
  filterOfName,
  nameMatcher,
  parseFilter,
} from '../../../src-main/timeline/view/track-filter.ts';
import { inLayout } from '../../chart/row-scroll.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { eventDetails } from '../../state/timeline/event-details.ts';
import type { TimelineState } from '../../state/timeline/timeline.svelte.ts';
import { copyText } from '../../ui/clipboard.ts';
import type { MenuItem } from '../../ui/Menu.svelte';
import { type CanvasPoint, hitAt } from './track-pointing.ts';

/** What can be done with what is under the pointer: an event, if there is one, and its track. */
export interface MenuTarget {
  readonly row: Row;
  readonly hit: EventHit | undefined;
}

/** What a right click, or the menu key on a focused row, is about. */
export function menuTarget(
  timeline: TimelineState,
  { target, clientX, clientY }: MouseEvent,
  chart: Omit<CanvasPoint, 'x' | 'y'>,
): MenuTarget | undefined {
  if (!(target instanceof Element)) return undefined;
  const { layout } = timeline.tracks;
  const label = target.closest<HTMLElement>('[data-row]');
  if (label !== null) {
    const row = rowWithId(layout, label.dataset.row ?? '');
    const selected = timeline.selected ?? timeline.workedOut;
    return row && { row, hit: selected?.track.id === row.id ? selected : undefined };
  }
  const box = target.closest('.tracks')?.getBoundingClientRect();
  if (box === undefined) return undefined;
  const point = { ...chart, x: clientX - box.left, y: clientY - box.top };
  const row = rowAt(layout, inLayout(point.y, chart.scroll));
  return row && { row, hit: hitAt(timeline, point) };
}

export function timelineMenu(
  app: AppState,
  timeline: TimelineState,
  { row, hit }: MenuTarget,
): readonly MenuItem[] {
  return [
    ...(hit === undefined ? [] : eventItems(app, timeline, hit)),
    ...trackItems(app, timeline, row),
  ];
}

function eventItems(app: AppState, timeline: TimelineState, hit: EventHit): MenuItem[] {
  const { commands, keys, investigation } = app;
  return [
    {
      label: 'Explain',
      run: () => {
        timeline.select(hit);
        investigation.leadToPanel();
      },
    },
    { label: 'Fit', hint: keys.labelOf('focus-fit'), run: () => timeline.fitEvent(hit) },
    { label: 'Copy its facts', run: () => void copyFacts(app, timeline, hit) },
    {
      label: 'Note…',
      hint: keys.labelOf('add-note'),
      disabled: refOf(hit) === undefined,
      run: () => {
        timeline.select(hit);
        commands.run('add-note');
      },
    },
    {
      label: 'Filter to this name',
      run: () => void filterTo(timeline, hit),
    },
  ];
}

function trackItems({ keys }: AppState, { tracks }: TimelineState, row: Row): MenuItem[] {
  const expanding: MenuItem = {
    label: isOpen(row) ? 'Collapse' : 'Expand',
    hint: keys.labelOf('expand'),
    disabled: !isExpandable(row),
    run: () => tracks.toggleExpanded(row),
  };
  if (row.kind === 'group') return [expanding];
  return [
    {
      label: tracks.isPinned(row.id) ? 'Unpin the track' : 'Pin the track on top',
      hint: keys.labelOf('pin'),
      run: () => tracks.togglePinned(row.id),
    },
    { label: 'Hide the track', hint: keys.labelOf('hide'), run: () => tracks.hide(row.id) },
    expanding,
  ];
}

/** Until a filter is first used, nothing may have asked what the kinds are called. */
async function filterTo({ source, tracks }: TimelineState, hit: EventHit): Promise<void> {
  await source.knowKinds();
  tracks.filterText = filterOf(hit);
}

/** By the event's own name, or that of its kind where that is what a filter knows. */
function filterOf({ track, lane, index }: EventHit): string {
  const kind = track.kindName(track.kindOf(lane, index));
  const byName = filterOfName(track.nameOf(lane, index));
  const picks = kind === '' || nameMatcher(parseFilter(byName))(kind);
  return (picks ? byName : filterOfName(kind)).slice(0, MAX_FILTER_LENGTH);
}

/** Times in raw ns: what is copied is for another program, or another place in this one. */
async function copyFacts(app: AppState, { data }: TimelineState, hit: EventHit): Promise<void> {
  const ref = refOf(hit);
  const { rows } = app.investigation;
  const { name, startNs, durationNs, facts } = eventDetails(data, hit, ref && rows.of(ref));
  const others = facts.filter(([label]) => label !== 'Start' && label !== 'Duration');
  const lines = [
    name,
    `Start: ${startNs} ns`,
    ...(hit.track.kind === 'marks' ? [] : [`Duration: ${durationNs} ns`]),
    ...others.map(([label, value]) => `${label}: ${value}`),
  ];
  if (await copyText(lines.join('\n'))) app.toasts.show('The facts of the event: copied.');
  else app.toasts.error('The clipboard is not available to this page.');
}
