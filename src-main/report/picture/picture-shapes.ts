import type { LaneLabel, TextRuler } from '../../timeline/view/lane-labels.ts';
import { escapeXml } from './picture-text.ts';

/** Pieces of SVG. Numbers have two decimals at most: a tenth of a pixel is seen by nobody. */

export const number = (value: number): string => String(Math.round(value * 100) / 100);

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const subpath = ({ x, y, width, height }: Rectangle): string =>
  `M${number(x)} ${number(y)}h${number(width)}v${number(height)}h${number(-width)}z`;

/** Rectangles of one fill as one element: a third of the bytes of single ones. `attributes` are trusted. */
export function rectangles(all: readonly Rectangle[], fill: string, attributes = ''): string {
  if (all.length === 0) return '';
  return `<path fill="${fill}"${attributes} d="${all.map(subpath).join('')}"/>`;
}

/** One rectangle, likewise. */
export const rectangle = (one: Rectangle, fill: string, attributes = ''): string =>
  rectangles([one], fill, attributes);

/** A line of text with its middle at `y`; `text` is cleaned, not escaped. */
export function words(x: number, y: number, text: string, fill: string, attributes = ''): string {
  if (text === '') return '';
  return `<text x="${number(x)}" y="${number(y)}" dy=".35em" fill="${fill}"${attributes}>${escapeXml(text)}</text>`;
}

/** A name on an event that is a thread's state: the pattern ends where the text begins. */
export function labelGround(
  { text, left }: LaneLabel,
  middle: number,
  fill: string,
  ruler: TextRuler,
) {
  return rectangle({ x: left - 2, y: middle - 6, width: ruler.width(text) + 4, height: 12 }, fill);
}
