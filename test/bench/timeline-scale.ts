import type { Browser, Page } from 'playwright-core';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { launchChromium } from '../support/page/chromium.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { openD3Page } from './measure/d3-frames.ts';
import { tell } from './measure/figures.ts';
import { explainThroughHost } from './measure/host-explanations.ts';
import { countRange, findFirst } from './measure/interactions.ts';
import { EXPLANATION_MS, goalAt, sizes } from './measure/sizes.ts';
import { tellFrames } from './measure/tell-frames.ts';
import { tellHover } from './measure/tell-hover.ts';
import { tellMemory } from './measure/tell-memory.ts';
import { withTimeline } from './measure/timeline-app.ts';

/**
 * The timeline from ten thousand events to ten million (`--events 50000000`: fifty), in real Chromium with software
 * rendering: frames while it is zoomed and panned, and how long it takes to answer who works with it. Frames
 * are those of five rounds together, the first of which finds no tile in the page; the rest are medians. Beside
 * them stand the frames of an empty page: what they miss, this machine can't do.
 */

const ROUNDS = 5;
/** The peer holds an object an event: it is not tried with more. */
const MOST_PEER_EVENTS = 10_000_000;
const FILTERS = [
  'name:cudaMemcpyAsync',
  'name:cudaMalloc',
  'dur>10ms',
  'name:cudaStreamSynchronize',
  'dur>100ms',
] as const;

async function tellAnswers(browser: Browser, events: number, page: Page): Promise<void> {
  const tellMs = (figure: string, values: readonly number[]) =>
    tell({ size: events, figure, unit: 'ms', value: median(values) });
  await tellHover(browser, events, page);
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
    await tellFrames(browser, events, app.page, { peer: peer?.frames });
    await peer?.close();
    await tellAnswers(browser, events, app.page);
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
