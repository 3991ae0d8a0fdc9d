import { marks } from '../../timeline/model/colours.ts';
import {
  hatchInks,
  PATTERN_LINE_WIDTH,
  PATTERN_TILE,
  type PatternInk,
  patternInks,
  slashes,
  stateInk,
} from '../../timeline/view/state-patterns.ts';
import type { PictureTheme } from './picture-theme.ts';
import { patternId } from './timeline-svg-lane.ts';

function patternSvg(
  id: string,
  base: string | undefined,
  { colour, opacity }: { readonly colour: string; readonly opacity: number },
  { lines, dots }: PatternInk,
): string {
  const size = `width="${PATTERN_TILE}" height="${PATTERN_TILE}"`;
  const ground = base === undefined ? '' : `<path fill="${base}" d="M0 0h8v8h-8z"/>`;
  const path = lines.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join('');
  const strokes =
    path === ''
      ? ''
      : `<path d="${path}" fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${PATTERN_LINE_WIDTH}"/>`;
  const circles = dots
    .map(
      ([x, y]) => `<circle cx="${x}" cy="${y}" r="1" fill="${colour}" fill-opacity="${opacity}"/>`,
    )
    .join('');
  return `<pattern id="${id}" ${size} patternUnits="userSpaceOnUse">${ground}${strokes}${circles}</pattern>`;
}

/** The patterns that were drawn, and those of what is not known. */
export function patternsSvg(theme: PictureTheme, used: ReadonlySet<number>): string {
  const drawn = Array.from(marks, ([colour, { pattern }]) => {
    const ink = patternInks[pattern];
    if (ink === undefined || !used.has(colour)) return '';
    return patternSvg(patternId(colour), theme.fills[colour], stateInk, ink);
  });
  const { lost, notRecorded } = hatchInks[theme.name];
  return [
    ...drawn,
    patternSvg('lost', undefined, lost, slashes),
    patternSvg('not-recorded', undefined, notRecorded, slashes),
  ].join('');
}
