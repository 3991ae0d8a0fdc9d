import type { Browser, Page } from 'playwright-core';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { launchChromium } from '../support/page/chromium.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { type Frames, framesOf } from './measure/cpu-time.ts';
import { openD3Page, PAN_TURNS } from './measure/d3-frames.ts';
import { tell } from './measure/figures.ts';
import { floorFrames, floors } from './measure/floor-frames.ts';
import {
  frameFigures,
  type Gesture,
  gestures,
  SIZES,
  type Size,
  turnWheel,
  zoomIn,
} from './measure/frames.ts';
import { explainThroughHost } from './measure/host-explanations.ts';
import { countRange, findFirst, hoverFloor, hovers } from './measure/interactions.ts';
import { EXPLANATION_MS, goalAt, sizes } from './measure/sizes.ts';
import { tellMemory } from './measure/tell-memory.ts';
import { showEvents, withTimeline } from './measure/timeline-app.ts';

/**
 * The timeline from ten thousand events to ten million (`--events 50000000`: fifty), in real Chromium with software
 * rendering: frames while it is zoomed and panned, and how long it takes to answer who works with it. Frames
 * are those of five rounds together, the first of which finds no tile in the page; the rest are medians. Beside
 * them stand the frames of an empty page: what they miss, this machine can't do.
 */

const ROUNDS = 5;
const FRAME_MS = 16.8;
const HOVER_MS = 1;
/** The peer holds an object an event: it is not tried with more. */
const MOST_PEER_EVENTS = 10_000_000;
const FILTERS = [
  'name:cudaMemcpyAsync',
  'name:cudaMalloc',
  'dur>10ms',
  'name:cudaStreamSynchronize',
  'dur>100ms',
] as const;

interface Measured {
  readonly ours: (size: Size, gesture: Gesture) => Promise<Frames>;
  readonly peer: ((size: Size, gesture: Gesture) => Promise<number[]>) | undefined;
  /** Of an empty page, with so much of its canvas changing. */
  readonly floor: (size: Size, changing: (typeof floors)[number]) => Promise<Frames>;
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

async function tellFrames(events: number, { ours, peer, floor }: Measured): Promise<void> {
  for (const size of SIZES) {
    const least = [];
    for (const changing of floors) {
      const name = `an empty page, of its canvas changes ${changing}`;
      const { deltas, cpuMs } = await floor(size, changing);
      least.push({ name, cpuMs, ...frameFigures(deltas) });
    }
    for (const gesture of gestures) {
      const { deltas, cpuMs } = await ours(size, gesture);
      const told = frameFigures(deltas);
      const beside = peer && frameFigures(await peer(size, gesture));
      const what = `${gesture} at ${size.width}×${size.height}, frame`;
      const goals = { p95: FRAME_MS, max: 50 } as const;
      for (const which of ['p50', 'p95', 'max'] as const)
        tell({
          ...{ size: events, figure: `${what} ${which}`, unit: 'ms', value: told[which] },
          ...(which !== 'p50' && goalAt(events, goals[which])),
          ...(beside && { peer: { name: 'd3, a rectangle an event', value: beside[which] } }),
          floors: least.map((page) => ({ name: page.name, value: page[which] })),
        });
      tell({
        ...{ size: events, figure: `${what}s over 50 ms`, unit: 'frames', value: told.long },
        ...{ ...goalAt(events, 0), floors: least.map(({ name, long }) => ({ name, value: long })) },
      });
      tell({
        ...{ size: events, figure: `${what}, CPU time of the browser`, unit: 'ms', value: cpuMs },
        floors: least.map((page) => ({ name: page.name, value: page.cpuMs })),
      });
    }
  }
}

async function tellAnswers(events: number, page: Page): Promise<void> {
  const tellMs = (figure: string, values: readonly number[], goal?: number, floor?: number) =>
    tell({
      ...{ size: events, figure, unit: 'ms', value: median(values) },
      ...(goal !== undefined && goalAt(events, goal)),
      ...(floor !== undefined && { floors: [{ name: 'an empty hover', value: floor }] }),
    });
  await showEvents(page, events);
  const pointed = await hovers(page);
  const facts = pointed.map((hover) => hover.facts);
  const least = await hoverFloor(page);
  tellMs('hover, facts shown', facts, HOVER_MS, median(least));
  tellMs('hover, facts shown, longest', [Math.max(...facts)], HOVER_MS, Math.max(...least));
  tellMs(
    'hover, all facts of its row',
    pointed.map(({ all }) => all),
  );
  const ranges: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    ranges.push(await countRange(page, 0.1 + round * 0.05, 0.6 + round * 0.05));
  tellMs('range statistics', ranges);
  const found: number[] = [];
  for (const filter of FILTERS) found.push(await findFirst(page, filter));
  tellMs('search, first match', found);
}

async function tellExplanations(events: number): Promise<void> {
  const { first, during, diagnosisMs } = await explainThroughHost(largeTrace(events));
  const ms = { size: events, unit: 'ms', ...goalAt(events, EXPLANATION_MS) };
  const peer = { name: 'behind the diagnosis', value: diagnosisMs };
  tell({ ...ms, figure: 'the first explanation', value: first });
  tell({ ...ms, figure: 'explanation during a diagnosis', value: median(during), peer });
  const longest = Math.max(...during);
  tell({ ...ms, figure: 'explanation during a diagnosis, longest', value: longest, peer });
}

async function measure(browser: Browser, events: number): Promise<void> {
  const peer = events > MOST_PEER_EVENTS ? undefined : await openD3Page(browser, events);
  await withTimeline(browser, events, async (app) => {
    await rowsSettled(app.page);
    await tellFrames(events, {
      ours: (size, gesture) => ourFrames(browser, app.page, events, size, gesture),
      peer: peer?.frames,
      floor: (size, changing) => floorFrames(browser, size, changing, ROUNDS),
    });
    await peer?.close();
    await tellAnswers(events, app.page);
    await tellMemory(events, app);
  });
  await tellExplanations(events);
}

const browser = await launchChromium();
try {
  for (const events of sizes()) await measure(browser, events);
} finally {
  await browser.close();
}
