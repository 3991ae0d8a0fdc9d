/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { percentiles } from '../../../src-main/shared/numbers/percentile.ts';

/** Gestures on the open timeline, one turn of the wheel a frame, and how long the frames took. */

export const SIZES = [
  { width: 1280, height: 800 },
  { width: 2560, height: 1440 },
] as const;
export type Size = (typeof SIZES)[number];

export const gestures = ['zoom', 'pan'] as const;
export type Gesture = (typeof gestures)[number];

/** Of one round: half of them there, half of them back. */
export const FRAMES = 240;
/** Of the wheel each frame. */
export const WHEEL_PIXELS = 60;

/**
 * Turns the wheel once a frame, there and back; the time between animation frames, ms. It is turned before a frame begins, as the
 * browser does: what is turned within a frame is drawn in every second one only.
 */
export function turnWheel(page: Page, gesture: Gesture, frames = FRAMES): Promise<number[]> {
  const turns = { gesture, frames, pixels: WHEEL_PIXELS };
  return page
    .locator('.timeline .tracks')
    .evaluate(async (element, { gesture, frames, pixels }) => {
      const box = element.getBoundingClientRect();
      const deltas: number[] = [];
      let last: number | undefined;
      const frameOver = new MessageChannel();
      const nextTask = () =>
        new Promise((resolve) => {
          frameOver.port1.onmessage = resolve;
          frameOver.port2.postMessage(undefined);
        });
      for (let frame = 0; frame < frames; frame++) {
        await nextTask();
        const there = frame < frames / 2;
        const wheel = new WheelEvent('wheel', {
          ...(gesture === 'zoom'
            ? { ctrlKey: true, deltaY: there ? -pixels : pixels }
            : { deltaX: there ? pixels : -pixels }),
          clientX: box.left + box.width * 0.43,
          clientY: box.top + 60,
          bubbles: true,
          cancelable: true,
          view: window,
        });
        element.dispatchEvent(wheel);
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
        if (last !== undefined) deltas.push(now - last);
        last = now;
      }
      frameOver.port1.close();
      return deltas;
    }, turns);
}

/** Zooms in by so many turns of the wheel, one a frame. */
export async function zoomIn(page: Page, turns: number): Promise<void> {
  // The way back of the gesture is left out.
  for (let turn = 0; turn < turns; turn++) await turnWheel(page, 'zoom', 1);
}

/** A frame that everybody sees, ms. */
const LONG_MS = 50;

/** The 50th and 95th percentile, the longest, and how many were long. */
export function frameFigures(deltas: readonly number[]) {
  const [p50 = Number.NaN, p95 = Number.NaN, max = Number.NaN] =
    deltas.length === 0 ? [] : percentiles(Float64Array.from(deltas), [50, 95, 100]);
  return { p50, p95, max, long: deltas.filter((delta) => delta > LONG_MS).length };
}
