import { plainLines } from '../../markdown/plain.ts';
import type { PictureOptions } from '../../shared/answers/report.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatMoment } from '../../shared/text/units.ts';
import { buildTrackGroups, lostStretches } from '../../timeline/build/build-tracks.ts';
import { clampWindow } from '../../timeline/model/time-window.ts';
import type { TraceData } from '../../timeline/model/trace-data.ts';
import type { TrackGroup } from '../../timeline/model/track-model.ts';
import { type ChartSpan, columnCount } from '../../timeline/view/chart-span.ts';
import { layoutTracks, type TrackLayout } from '../../timeline/view/layout-tracks.ts';
import { type EventHit, locateEvent, rowOfSaved } from '../../timeline/view/locate-event.ts';
import { stripColumns } from '../../timeline/view/strip-columns.ts';
import { type TimeTicks, timeTicks } from '../../timeline/view/time-ticks.ts';
import { parseFilter } from '../../timeline/view/track-filter.ts';
import { noSavedTracks, trackView } from '../../timeline/view/track-view.ts';
import type { Viewer } from '../hide-private.ts';
import { pictureHider } from './hide-in-picture.ts';
import { FONT_PX, MARGIN, pageSvg } from './picture-page.ts';
import { patternsSvg } from './picture-patterns.ts';
import { textRuler } from './picture-text.ts';
import { pictureThemes } from './picture-theme.ts';
import {
  FLAGS_HEIGHT,
  flagsSvg,
  gridSvg,
  legendEntries,
  legendSvg,
  rulerSvg,
} from './timeline-svg-frame.ts';
import { headerLines } from './timeline-svg-header.ts';
import type { Drawing } from './timeline-svg-lane.ts';
import { lostSvg, rangeSvg, rowsSvg, selectedSvg } from './timeline-svg-rows.ts';

/** The column of names takes this share of the picture, within limits. */
const LABEL_SHARE = 0.26;
const MAX_LABELS = 290;
const MAX_FLAG_TEXT = 120;
/** So much of a note is read for it. */
const MAX_READ = 2_000;
/** Tracks a description names. */
const DESCRIBED_TRACKS = 12;

/** A picture's trace, wish and what follows from both. */
interface Scene {
  readonly data: TraceData;
  readonly options: PictureOptions;
  readonly groups: readonly TrackGroup[];
  readonly layout: TrackLayout;
  readonly drawing: Drawing;
  readonly ticks: TimeTicks;
  readonly selected: EventHit | undefined;
}

function selectedEvent(
  data: TraceData,
  { view }: PictureOptions,
  groups: readonly TrackGroup[],
): EventHit | undefined {
  const row = view.event && rowOfSaved(data, view.event);
  if (view.event === undefined || row === undefined) return undefined;
  const tracks = groups.flatMap((group) => group.tracks);
  return locateEvent(data, tracks, { table: view.event.table, row });
}

function drawingOf(data: TraceData, options: PictureOptions, viewer: Viewer): Drawing {
  const { view, widthPx, theme, hidePrivate } = options;
  const { lengthNs } = data.summary;
  const window = clampWindow(view.window ?? { startNs: 0, endNs: lengthNs }, lengthNs);
  const labels = Math.min(MAX_LABELS, Math.round(widthPx * LABEL_SHARE));
  const span: ChartSpan = { window, width: widthPx - labels, pixelRatio: 1 };
  const hide = hidePrivate ? pictureHider(options, data.summary, viewer) : (text: string) => text;
  return {
    span,
    theme: pictureThemes[theme],
    strip: stripColumns(columnCount(span)),
    ruler: textRuler(FONT_PX),
    clean: (text) => cleanText(hide(text)),
    used: new Set(),
  };
}

function sceneOf(data: TraceData, options: PictureOptions, viewer: Viewer): Scene {
  const groups = buildTrackGroups(data);
  const drawing = drawingOf(data, options, viewer);
  return {
    data,
    options,
    groups,
    drawing,
    layout: layoutTracks(groups, trackView(groups, options.view.tracks ?? noSavedTracks)),
    ticks: timeTicks(drawing.span.window, drawing.span.width),
    selected: selectedEvent(data, options, groups),
  };
}

function chartSvg({ options, layout, drawing, ticks, selected }: Scene, lost: string): string {
  const { range, tracks } = options.view;
  return [
    gridSvg(drawing, ticks, layout.height),
    rowsSvg(drawing, layout, parseFilter(tracks?.filter ?? '')),
    lost,
    range === undefined ? '' : rangeSvg(drawing, range, layout.height),
    selected === undefined ? '' : selectedSvg(drawing, layout, selected),
  ].join('');
}

function flagsOf({ options, drawing, layout }: Scene): string {
  const { window } = drawing.span;
  const flags = options.notes
    .filter(({ startNs, endNs }) => endNs >= window.startNs && startNs <= window.endNs)
    .map((note) => {
      const words = plainLines(note.text.slice(0, MAX_READ)).join(' ');
      return { ...note, text: cleanText(drawing.clean(words), MAX_FLAG_TEXT) };
    });
  return flagsSvg(drawing, flags, FLAGS_HEIGHT + layout.height);
}

function headingOf({ data, options, groups, drawing, selected }: Scene): string[] {
  const tracks = options.view.tracks ?? noSavedTracks;
  const hidden = groups
    .flatMap((group) => group.tracks)
    .filter(({ id }) => tracks.hidden.includes(id)).length;
  return headerLines({
    name: options.name,
    summary: data.summary,
    window: drawing.span.window,
    range: options.view.range,
    selected,
    tracks,
    hidden,
    hidePrivate: options.hidePrivate,
  }).map(drawing.clean);
}

function descriptionOf({ drawing, layout }: Scene): string {
  const { startNs, endNs } = drawing.span.window;
  const tracks = layout.rows.flatMap((row) => (row.kind === 'track' ? [row.track] : []));
  const named = tracks
    .slice(0, DESCRIBED_TRACKS)
    .map(({ label, detail }) => drawing.clean(`${label} ${detail}`.trim()));
  const more = tracks.length - named.length;
  const list = `${named.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
  return `From ${formatMoment(startNs)} to ${formatMoment(endNs)}. Tracks from top to bottom: ${list}.`;
}

/**
 * The timeline as a view shows it: one SVG file that needs nothing beside it. `viewer` is whose names
 * are hidden, too, where private things are.
 */
export function timelineSvg(data: TraceData, options: PictureOptions, viewer: Viewer): string {
  const scene = sceneOf(data, options, viewer);
  const { drawing, layout } = scene;
  const lost = lostSvg(drawing, layout, lostStretches(data));
  // First of all: what is drawn decides which patterns there are, and what the legend explains.
  const chart = chartSvg(scene, lost);
  const hatched = {
    lost: lost !== '',
    notRecorded: chart.includes('url(#not-recorded)'),
  };
  const [title = '', ...facts] = headingOf(scene);
  return pageSvg({
    drawing,
    layout,
    chart,
    title,
    facts,
    widthPx: options.widthPx,
    description: descriptionOf(scene),
    defs: patternsSvg(drawing.theme, drawing.used),
    ruler: rulerSvg(drawing, scene.ticks, options.view.range),
    flags: flagsOf(scene),
    legend: legendSvg(drawing, legendEntries(drawing, hatched), options.widthPx - 2 * MARGIN),
  });
}
