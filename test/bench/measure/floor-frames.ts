/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { type Frames, framesOf } from './cpu-time.ts';
import { FRAMES, type Size } from './frames.ts';

/**
 * What the machine can do at best: a page with nothing but one canvas of its size, drawn in each frame. Where its frames
 * are late, no timeline of that size is in time.
 */

/** How much of the canvas changes in each frame. */
export const floors = ['all', 'a small rectangle'] as const;
type Floor = (typeof floors)[number];

interface Drawn {
  readonly floor: Floor;
  readonly frames: number;
}

/** In the page: draws a rectangle of another colour in each frame; the time between animation frames, ms. */
async function drawRectangles({ floor, frames }: Drawn): Promise<number[]> {
  const [width, height] = [innerWidth, innerHeight];
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  canvas.style.display = 'block';
  document.body.style.margin = '0';
  document.body.replaceChildren(canvas);
  const context = canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
  const deltas: number[] = [];
  let last: number | undefined;
  for (let frame = 0; frame < frames; frame++) {
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    context.fillStyle = frame % 2 === 0 ? '#0072b2' : '#e69f00';
    if (floor === 'all') context.fillRect(0, 0, width, height);
    else context.fillRect(frame, height / 2, 24, 24);
    if (last !== undefined) deltas.push(now - last);
    last = now;
  }
  return deltas;
}

/** The frames of `rounds` gestures on a page of a size. */
export async function floorFrames(
  browser: Browser,
  size: Size,
  floor: Floor,
  rounds: number,
): Promise<Frames> {
  const page = await browser.newPage({ viewport: size });
  const drawn = { floor, frames: FRAMES * rounds };
  const frames = await framesOf(browser, () => page.evaluate(drawRectangles, drawn));
  await page.close();
  return frames;
}
