/// <reference lib="dom" />

import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { percentiles } from '../../src-main/shared/numbers/percentile.ts';
import { root } from '../support/built.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';
import { startBrowserHost } from '../support/page/browser-host.ts';
import { launchChromium } from '../support/page/chromium.ts';

/**
 * The timeline in real Chromium with software rendering: frame intervals and script time while
 * zooming a generated trace, and one lane's frame against the usual d3 way (filter, scale and draw
 * every event) on the same events in the same browser. Prints figures; asserts none.
 */

const FRAMES = 240;
const PEER_EVENTS = [10_000, 200_000, 1_000_000] as const;
const PEER_FRAMES = 30;
const SIZES = [
  { width: 1280, height: 800 },
  { width: 2560, height: 1440 },
] as const;
const D3_MODULES = [
  'd3-array',
  'd3-color',
  'd3-interpolate',
  'd3-format',
  'd3-time',
  'd3-time-format',
  'd3-scale',
] as const;

const figures = (values: readonly number[]) =>
  percentiles(Float64Array.from(values), [50, 95, 100])
    .map((value) => value.toFixed(2))
    .join(' / ');

/** Zooms in and out with the wheel; the time between animation frames, ms. */
function zoomFrames(page: Page): Promise<number[]> {
  return page.locator('.timeline .tracks').evaluate(async (element, frames) => {
    const box = element.getBoundingClientRect();
    const deltas: number[] = [];
    let last: number | undefined;
    for (let frame = 0; frame < frames; frame++) {
      const wheel = new WheelEvent('wheel', {
        ctrlKey: true,
        deltaY: frame < frames / 2 ? -60 : 60,
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
    return deltas;
  }, FRAMES);
}

/** Seconds of script since the page opened. */
async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
}

async function measureApp(browser: Browser, events: number): Promise<void> {
  const host = await startBrowserHost([largeTrace(events)]);
  try {
    const page = await browser.newPage({ viewport: SIZES[0] });
    await page.goto(host.link);
    await page.getByRole('tab', { name: 'Timeline' }).click({ timeout: 120_000 });
    await page.locator('.timeline [role=row]').first().waitFor({ timeout: 120_000 });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await zoomFrames(page);
      const before = await scriptSeconds(session);
      const deltas = await zoomFrames(page);
      const scriptMs = ((await scriptSeconds(session)) - before) * 1e3;
      console.log(
        `${events} events, ${size.width}×${size.height}: frame p50/p95/max ${figures(deltas)} ms, ` +
          `script ${(scriptMs / FRAMES).toFixed(2)} ms a frame`,
      );
    }
    await page.close();
  } finally {
    await host.stop();
  }
}

/** A blank page with d3-scale and our pyramid as globals. */
async function peerPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZES[0] });
  const require = createRequire(import.meta.url);
  for (const name of D3_MODULES) {
    const folder = join(require.resolve(name), '../../dist', `${name}.js`);
    await page.addScriptTag({ content: readFileSync(folder, 'utf8') });
  }
  // What the pyramid imports stands before it.
  const sources = ['shared/numbers/bisect.ts', 'timeline/model/pyramid.ts'].map((path) =>
    readFileSync(join(root, 'src-main', path), 'utf8'),
  );
  const script = stripTypeScriptTypes(sources.join('\n'))
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '');
  await page.addScriptTag({
    content: `${script}\nObject.assign(globalThis, { buildLane, summarizePixels });`,
  });
  return page;
}

type Pyramid = typeof import('../../src-main/timeline/model/pyramid.ts');
type Scale = typeof import('d3-scale');

/** One lane drawn `frames` times both ways; ms of script a frame. */
function drawBothWays({ events, frames }: { events: number; frames: number }) {
  const { buildLane, summarizePixels, d3 } = globalThis as unknown as Pyramid & { d3: Scale };
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
  const lane = buildLane({ startNs, durationNs, rows, colours: new Uint8Array(events) });
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
    const ratio = median(peer) / median(ours);
    console.log(
      `one lane of ${events}: ours p50/p95/max ${figures(ours)} ms, d3 filter + scale + rects ` +
        `${figures(peer)} ms: ${ratio.toFixed(0)}× faster`,
    );
  }
  for (const events of [10_000, 200_000]) await measureApp(browser, events);
} finally {
  await browser.close();
}
