/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { root } from '../support/built.ts';
import { launchChromium } from '../support/page/chromium.ts';
import { rowsSettled } from '../support/page/timeline-page.ts';
import { addD3, type Scale } from './measure/d3-page.ts';
import { tell } from './measure/figures.ts';
import { FRAMES, frameFigures, SIZES, turnWheel } from './measure/frames.ts';
import { sizes } from './measure/sizes.ts';
import { tellFrames } from './measure/tell-frames.ts';
import { tellHover } from './measure/tell-hover.ts';
import { withTimeline } from './measure/timeline-app.ts';

/**
 * The timeline's frames in real Chromium. Of one lane their script, against the usual d3 way (filter, scale and draw every
 * event) on the same events in the same browser; of the whole timeline their script, and how long they take while it
 * is zoomed and panned. And how soon a hover is told. As timeline-scale tells it, without its peers, so that
 * `--events 10000000` takes minutes.
 */

const PEER_EVENTS = [10_000, 200_000, 1_000_000] as const;
const PEER_FRAMES = 30;

/** Seconds of script since the page opened. */
async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
}

function measureApp(browser: Browser, events: number): Promise<void> {
  return withTimeline(browser, events, async ({ page, session }) => {
    await rowsSettled(page);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await turnWheel(page, 'zoom');
      const before = await scriptSeconds(session);
      await turnWheel(page, 'zoom');
      const scriptMs = ((await scriptSeconds(session)) - before) * 1e3;
      const figure = `script of a frame while zooming at ${size.width}×${size.height}`;
      tell({ size: events, figure, unit: 'ms', value: scriptMs / FRAMES });
    }
    await tellFrames(browser, events, page, { emptyRounds: 1 });
    await tellHover(browser, events, page);
  });
}

/** A blank page with d3-scale and our pyramid as globals. */
async function peerPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[0] });
  await addD3(page);
  // What the pyramid imports stands before it.
  const sources = [
    'shared/numbers/bisect.ts',
    'shared/numbers/pieces.ts',
    'timeline/model/event-times.ts',
    'timeline/model/pyramid.ts',
  ].map((path) => readFileSync(join(root, 'src-main', path), 'utf8'));
  const script = stripTypeScriptTypes(sources.join('\n'))
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '');
  await page.addScriptTag({
    content: `${script}\nObject.assign(globalThis, { buildLane, ownEvents, summarizePixels });`,
  });
  return page;
}

type Pyramid = typeof import('../../src-main/timeline/model/pyramid.ts');

/** One lane drawn `frames` times both ways; ms of script a frame. */
function drawBothWays({ events, frames }: { events: number; frames: number }) {
  const { buildLane, ownEvents, summarizePixels, d3 } = globalThis as unknown as Pyramid & {
    d3: Scale;
  };
  const width = 1000;
  // The page's clock ticks every 0.1 ms: one of our frames is too short for it.
  const repeats = 10;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = 24;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const startNs = Float64Array.from({ length: events }, (_, index) => index * 1e4);
  const durationNs = Float64Array.from(startNs, (_, index) => 1e3 + ((index * 7919) % 8e3));
  const rows = Uint32Array.from(startNs.keys());
  const lane = buildLane(ownEvents({ startNs, durationNs, rows, colours: new Uint8Array(events) }));
  const objects = Array.from(startNs, (start, index) => ({
    start,
    end: start + durationNs[index],
  }));
  const out = {
    longest: new Int32Array(width),
    counts: new Uint32Array(width),
    busyNs: new Float64Array(width),
  };
  const image = context.createImageData(width, 1);
  const pixels = new Uint32Array(image.data.buffer);
  const ours: number[] = [];
  const peer: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    const length = events * 1e4 * (1 - frame / (4 * frames));
    let begin = performance.now();
    for (let time = 0; time < repeats; time++) {
      summarizePixels(lane, 0, length / width, width, out);
      for (let pixel = 0; pixel < width; pixel++)
        pixels[pixel] = out.longest[pixel] < 0 ? 0 : 0xffb27200;
      context.putImageData(image, 0, 0);
      context.drawImage(canvas, 0, 0, width, 1, 0, 0, width, 24);
      context.getImageData(0, 0, 1, 1);
    }
    ours.push((performance.now() - begin) / repeats);
    begin = performance.now();
    const x = d3.scaleLinear().domain([0, length]).range([0, width]);
    context.fillStyle = '#0072b2';
    for (const event of objects.filter(({ start, end }) => end > 0 && start < length))
      context.fillRect(x(event.start), 0, Math.max(1, x(event.end) - x(event.start)), 24);
    context.getImageData(0, 0, 1, 1);
    peer.push(performance.now() - begin);
  }
  return { ours, peer };
}

const browser = await launchChromium();
try {
  const page = await peerPage(browser);
  for (const events of PEER_EVENTS) {
    const { ours, peer } = await page.evaluate(drawBothWays, { events, frames: PEER_FRAMES });
    const size = `one lane of ${events.toLocaleString('en')} events`;
    for (const which of ['p50', 'p95', 'max'] as const)
      tell({
        size,
        figure: `script of a frame, ${which}`,
        unit: 'ms',
        value: frameFigures(ours)[which],
        peer: { name: 'd3 filter, scale, rects', value: frameFigures(peer)[which] },
      });
  }
  for (const events of sizes([10_000, 200_000])) await measureApp(browser, events);
} finally {
  await browser.close();
}
