import type { PictureFlag } from '../../shared/answers/report.ts';
import { formatMoment } from '../../shared/text/units.ts';
import { marks } from '../../timeline/model/colours.ts';
import type { TimeWindow } from '../../timeline/model/time-window.ts';
import { clippedStretch, pixelsPerNs } from '../../timeline/view/chart-span.ts';
import { patternInks } from '../../timeline/view/state-patterns.ts';
import { spanLabel, type TimeTicks } from '../../timeline/view/time-ticks.ts';
import { number, rectangle, words } from './picture-shapes.ts';
import { type Drawing, patternId } from './timeline-svg-lane.ts';

export const RULER_HEIGHT = 26;
export const FLAGS_HEIGHT = 22;
const LEGEND_LINE = 22;

/** Marks and times, the span in view at the right; y is from the ruler's top. */
export function rulerSvg(
  drawing: Drawing,
  ticks: TimeTicks,
  range: TimeWindow | undefined,
): string {
  const { span, theme, ruler } = drawing;
  const scale = pixelsPerNs(span);
  const corner =
    ticks.baseNs === undefined
      ? spanLabel(span.window)
      : `${spanLabel(span.window)} · from ${formatMoment(ticks.baseNs)}`;
  const cornerLeft = span.width - ruler.width(corner) - 8;
  const marks = ticks.ticks.flatMap(({ ns, label }) => {
    const x = Math.round((ns - span.window.startNs) * scale);
    if (x + 6 + ruler.width(label) >= cornerLeft - 8) return [];
    const mark = rectangle({ x, y: 0, width: 1, height: RULER_HEIGHT }, theme.border);
    return [mark + words(x + 5, RULER_HEIGHT / 2, label, theme.text)];
  });
  const place = range && clippedStretch(span, range);
  const ranged =
    place === undefined
      ? ''
      : rectangle(
          { x: place.left, y: RULER_HEIGHT - 3, width: place.right - place.left, height: 3 },
          theme.accent,
        );
  return (
    rectangle({ x: 0, y: 0, width: span.width, height: RULER_HEIGHT }, theme.panel) +
    ranged +
    marks.join('') +
    words(span.width - 6, RULER_HEIGHT / 2, corner, theme.muted, ' text-anchor="end"') +
    rectangle({ x: 0, y: RULER_HEIGHT - 1, width: span.width, height: 1 }, theme.border)
  );
}

/** Lines down from the ruler's marks. */
export function gridSvg({ span, theme }: Drawing, ticks: TimeTicks, height: number): string {
  const scale = pixelsPerNs(span);
  const path = ticks.ticks
    .map(({ ns }) => `M${Math.round((ns - span.window.startNs) * scale) + 0.5} 0v${number(height)}`)
    .join('');
  return `<path fill="none" stroke="${theme.border}" stroke-opacity=".45" d="${path}"/>`;
}

/** Flags on the moments of notes, each with as much of its text as fits before the next. */
export function flagsSvg(drawing: Drawing, flags: readonly PictureFlag[], height: number): string {
  const { span, theme, ruler } = drawing;
  const scale = pixelsPerNs(span);
  const toX = (ns: number) => Math.round((ns - span.window.startNs) * scale);
  const placed = flags.toSorted((a, b) => a.startNs - b.startNs);
  return placed
    .map((flag, index) => {
      const x = Math.max(0, toX(flag.startNs));
      const end = Math.min(span.width, toX(flag.endNs));
      const next = placed[index + 1];
      const room = (next === undefined ? span.width : Math.max(0, toX(next.startNs))) - x - 18;
      const stretch =
        end > x + 1
          ? rectangle(
              { x, y: FLAGS_HEIGHT - 3, width: end - x, height: 3 },
              theme.accent,
              ' fill-opacity=".5"',
            )
          : '';
      const pole = rectangle(
        { x, y: 3, width: 1, height: height - 3 },
        theme.accent,
        ' fill-opacity=".7"',
      );
      const cloth = `<path fill="${theme.accent}" d="M${x} 4h9l-3 4l3 4h-9z"/>`;
      return stretch + pole + cloth + words(x + 13, 9, ruler.fit(flag.text, room), theme.text);
    })
    .join('');
}

interface LegendEntry {
  readonly name: string;
  readonly fill: string;
  readonly thin: boolean;
}

/** What the legend explains: the states and causes that were drawn, and hatching where there is some. */
export function legendEntries(
  { theme, used }: Drawing,
  hatched: { readonly lost: boolean; readonly notRecorded: boolean },
): LegendEntry[] {
  const drawn = Array.from(marks).flatMap(([colour, { name, pattern }]) => {
    if (!used.has(colour)) return [];
    const hasPattern = patternInks[pattern] !== undefined;
    const fill = hasPattern ? `url(#${patternId(colour)})` : (theme.fills[colour] ?? '');
    return [{ name, fill, thin: pattern === 'thin' }];
  });
  const unknown = [
    { name: 'The recorder lost events', fill: 'url(#lost)', thin: false, shown: hatched.lost },
    {
      name: 'Not recorded, or only counted',
      fill: 'url(#not-recorded)',
      thin: false,
      shown: hatched.notRecorded,
    },
  ].filter(({ shown }) => shown);
  return [...drawn, ...unknown];
}

/** The legend, in lines `width` pixels wide; how high it became. */
export function legendSvg(
  { theme, ruler }: Drawing,
  entries: readonly LegendEntry[],
  width: number,
): { readonly svg: string; readonly height: number } {
  let x = 0;
  let line = 0;
  const pieces = entries.map(({ name, fill, thin }) => {
    const entryWidth = 34 + ruler.width(name) + 20;
    if (x > 0 && x + entryWidth > width) {
      x = 0;
      line++;
    }
    const y = line * LEGEND_LINE;
    const swatch = { x, y: thin ? y + 9 : y + 4, width: 28, height: thin ? 5 : 14 };
    const frame = ` stroke="${theme.border}"`;
    const piece = rectangle(swatch, fill, frame) + words(x + 34, y + 11, name, theme.text);
    x += entryWidth;
    return piece;
  });
  return { svg: pieces.join(''), height: pieces.length === 0 ? 0 : (line + 1) * LEGEND_LINE };
}
