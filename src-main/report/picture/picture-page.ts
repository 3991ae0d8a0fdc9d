import type { TrackLayout } from '../../timeline/view/layout-tracks.ts';
import { rectangle, words } from './picture-shapes.ts';
import { escapeXml, textRuler } from './picture-text.ts';
import { FLAGS_HEIGHT, RULER_HEIGHT } from './timeline-svg-frame.ts';
import type { Drawing } from './timeline-svg-lane.ts';
import { labelsSvg } from './timeline-svg-rows.ts';

/** Of the text on a chart. */
export const FONT_PX = 11;
export const MARGIN = 12;
const FONT = 'system-ui, sans-serif';
const TITLE_PX = 15;
const TITLE_HEIGHT = 24;
const LINE_HEIGHT = 16;

/** What stands on a picture; y of each part is from its own top. */
export interface PageParts {
  readonly drawing: Drawing;
  readonly widthPx: number;
  readonly title: string;
  readonly facts: readonly string[];
  readonly description: string;
  readonly defs: string;
  readonly ruler: string;
  readonly layout: TrackLayout;
  readonly chart: string;
  /** Over ruler and chart; empty where there are none. */
  readonly flags: string;
  readonly legend: { readonly svg: string; readonly height: number };
}

function placesOf({ facts, flags, layout, legend }: PageParts) {
  const header = MARGIN + TITLE_HEIGHT + facts.length * LINE_HEIGHT + 6;
  const flagsTop = header + RULER_HEIGHT;
  const rowsTop = flagsTop + (flags === '' ? 0 : FLAGS_HEIGHT);
  const rowsEnd = rowsTop + layout.height;
  const legendTop = rowsEnd + MARGIN;
  const height = legend.height === 0 ? legendTop : legendTop + legend.height + MARGIN - 4;
  return { header, flagsTop, rowsTop, rowsEnd, legendTop, height: Math.ceil(height) };
}

function headerSvg({ drawing, widthPx, title, facts }: PageParts): string {
  const { theme, ruler } = drawing;
  const room = widthPx - 2 * MARGIN;
  // Bold letters are a little wider.
  const heading = textRuler(TITLE_PX * 1.08).fit(title, room);
  const bold = ` font-size="${TITLE_PX}" font-weight="600"`;
  const first = MARGIN + TITLE_HEIGHT + LINE_HEIGHT / 2;
  return (
    words(MARGIN, MARGIN + 8, heading, theme.text, bold) +
    facts
      .map((fact, line) =>
        words(MARGIN, first + line * LINE_HEIGHT, ruler.fit(fact, room), theme.muted),
      )
      .join('')
  );
}

/** A nested picture cuts off what reaches over its edges. */
function part(parts: PageParts, y: number, height: number, svg: string): string {
  const { widthPx, drawing } = parts;
  const { width } = drawing.span;
  if (svg === '') return '';
  return `<svg x="${widthPx - width}" y="${y}" width="${width}" height="${height}">${svg}</svg>`;
}

/** A whole picture as an SVG file. */
export function pageSvg(parts: PageParts): string {
  const { drawing, widthPx, layout } = parts;
  const { theme, span } = drawing;
  const places = placesOf(parts);
  const { height } = places;
  const labelWidth = widthPx - span.width;
  const at = (x: number, y: number, svg: string) =>
    `<g transform="translate(${x} ${y})">${svg}</g>`;
  const edge = { x: labelWidth - 1, y: places.header, width: 1 };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${height}" viewBox="0 0 ${widthPx} ${height}" role="img" aria-labelledby="title description" font-family="${FONT}" font-size="${FONT_PX}">`,
    `<title id="title">${escapeXml(parts.title)}: timeline</title>`,
    `<desc id="description">${escapeXml(parts.description)}</desc>`,
    `<defs>${parts.defs}</defs>`,
    rectangle({ x: 0, y: 0, width: widthPx, height }, theme.background),
    rectangle({ x: 0, y: 0, width: widthPx, height: places.header + RULER_HEIGHT }, theme.panel),
    headerSvg(parts),
    at(0, places.rowsTop, labelsSvg(drawing, layout.rows, labelWidth)),
    part(parts, places.header, RULER_HEIGHT, parts.ruler),
    part(parts, places.rowsTop, layout.height, parts.chart),
    part(parts, places.flagsTop, places.rowsEnd - places.flagsTop, parts.flags),
    rectangle({ ...edge, height: places.rowsEnd - places.header }, theme.border),
    at(MARGIN, places.legendTop, parts.legend.svg),
    '</svg>\n',
  ].join('\n');
}
