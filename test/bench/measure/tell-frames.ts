import type { Browser, Page } from 'playwright-core';
import { type Frames, framesOf } from './cpu-time.ts';
import { PAN_TURNS } from './d3-frames.ts';
import { tell } from './figures.ts';
import { floorFrames, floors } from './floor-frames.ts';
import {
  frameFigures,
  type Gesture,
  gestures,
  SIZES,
  type Size,
  turnWheel,
  zoomIn,
} from './frames.ts';
import { goalAt } from './sizes.ts';
import { showEvents } from './timeline-app.ts';

const ROUNDS = 5;
const FRAME_MS = 16.8;

/** What stands beside the frames. */
interface Beside {
  readonly peer?: ((size: Size, gesture: Gesture) => Promise<readonly number[]>) | undefined;
  /** For how many rounds an empty page is drawn. */
  readonly emptyRounds?: number;
}

/** From where all events are in view; a pan begins where it is zoomed in. */
async function ourFrames(
  browser: Browser,
  page: Page,
  events: number,
  size: Size,
  gesture: Gesture,
): Promise<Frames> {
  await page.setViewportSize(size);
  await showEvents(page, events);
  if (gesture === 'pan') await zoomIn(page, PAN_TURNS);
  return framesOf(browser, async () => {
    const deltas: number[] = [];
    for (let round = 0; round < ROUNDS; round++) deltas.push(...(await turnWheel(page, gesture)));
    return deltas;
  });
}

/**
 * Frames of an open timeline while it is zoomed and panned, at each size of the window: of five rounds together, the first of which
 * finds no tile in the page. Beside them stand those of an empty page, and of the peer where there is one.
 */
export async function tellFrames(
  browser: Browser,
  events: number,
  page: Page,
  { peer, emptyRounds = ROUNDS }: Beside = {},
): Promise<void> {
  for (const size of SIZES) {
    const least = [];
    for (const changing of floors) {
      const name = `an empty page, of its canvas changes ${changing}`;
      const { deltas, cpuMs } = await floorFrames(browser, size, changing, emptyRounds);
      least.push({ name, cpuMs, ...frameFigures(deltas) });
    }
    for (const gesture of gestures) {
      const { deltas, cpuMs } = await ourFrames(browser, page, events, size, gesture);
      const told = frameFigures(deltas);
      const beside = peer && frameFigures(await peer(size, gesture));
      const what = `${gesture} at ${size.width}×${size.height}, frame`;
      const goals = { p95: FRAME_MS, max: 50 } as const;
      for (const which of ['p50', 'p95', 'max'] as const)
        tell({
          ...{ size: events, figure: `${what} ${which}`, unit: 'ms', value: told[which] },
          ...(which !== 'p50' && goalAt(events, goals[which])),
          ...(beside && { peer: { name: 'd3, a rectangle an event', value: beside[which] } }),
          floors: least.map((empty) => ({ name: empty.name, value: empty[which] })),
        });
      tell({
        ...{ size: events, figure: `${what}s over 50 ms`, unit: 'frames', value: told.long },
        ...{ ...goalAt(events, 0), floors: least.map(({ name, long }) => ({ name, value: long })) },
      });
      tell({
        ...{ size: events, figure: `${what}, CPU time of the browser`, unit: 'ms', value: cpuMs },
        floors: least.map((empty) => ({ name: empty.name, value: empty.cpuMs })),
      });
    }
  }
}
