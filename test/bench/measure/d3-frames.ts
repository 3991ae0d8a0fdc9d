/// <reference lib="dom" />
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { type TableName, tableNames } from '../../../src-main/shared/model/schema.ts';
import type { Trace } from '../../../src-main/shared/model/trace.ts';
import { largeTrace } from '../../support/large-trace.ts';
import { eventsReachNs } from '../traces/generate-trace.ts';
import { addD3, type Scale } from './d3-page.ts';
import { FRAMES, type Gesture, type Size, WHEEL_PIXELS } from './frames.ts';
import { openOnce } from './open-once.ts';

/**
 * The peer of the timeline: the usual d3 way. Every event of the trace is an object in the page; each frame
 * filters those in view and draws a rectangle of each, by d3-scale. Of the views that a gesture goes
 * through it draws every tenth: at ten million events one takes seconds.
 */

/** Views of the timeline's gesture for one of the peer's. */
const EVERY = 10;
/** The wheel of the timeline zooms by so much a pixel. */
const OCTAVES_A_PIXEL = 0.004;
/** How far is zoomed in before a pan. */
export const PAN_TURNS = 20;
/** Start, duration, lane. */
const FIELDS = 3;

/** All events, one after another; each table of each thread has a lane. */
function eventsOf({ tables, threads }: Trace): Float64Array {
  const rows = tableNames.reduce((sum, table) => sum + tables[table].rows, 0);
  const events = new Float64Array(rows * FIELDS);
  let at = 0;
  for (const [group, table] of tableNames.entries()) {
    const { startNs, durationNs, thread } = tables[table].columns as Partial<
      Record<'startNs' | 'durationNs' | 'thread', ArrayLike<number>>
    >;
    for (let row = 0; row < tables[table as TableName].rows; row++) {
      events[at++] = startNs?.[row] ?? 0;
      events[at++] = durationNs?.[row] ?? 0;
      events[at++] = group * threads.length + (thread?.[row] ?? 0);
    }
  }
  return events;
}

/** In the page: makes the objects. */
async function holdEvents(fields: number): Promise<number> {
  const numbers = new Float64Array(await (await fetch('/events')).arrayBuffer());
  const lanes = new Map<number, number>();
  const objects = Array.from({ length: numbers.length / fields }, (_, index) => {
    const [start = 0, duration = 0, lane = 0] = numbers.subarray(index * fields);
    if (!lanes.has(lane)) lanes.set(lane, lanes.size);
    return { start, end: start + duration, lane: lanes.get(lane) ?? 0 };
  });
  Object.assign(globalThis, { objects, lanes: lanes.size });
  return objects.length;
}

interface Held {
  readonly objects: readonly { start: number; end: number; lane: number }[];
  readonly lanes: number;
  readonly d3: Scale;
}

interface Views {
  readonly gesture: Gesture;
  /** In view where the gesture begins. */
  readonly lengthNs: number;
  readonly frames: number;
  /** Of the wheel each frame. */
  readonly pixels: number;
  readonly octavesAPixel: number;
  readonly panOctaves: number;
}

/** In the page: goes through the views of a gesture; the time between animation frames, ms. */
async function drawFrames(views: Views): Promise<number[]> {
  const { objects, lanes, d3 } = globalThis as unknown as Held;
  const { gesture, lengthNs, frames, pixels, octavesAPixel, panOctaves } = views;
  const [width, height] = [innerWidth, innerHeight];
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  document.body.replaceChildren(canvas);
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  const row = height / lanes;
  const deltas: number[] = [];
  let last: number | undefined;
  for (let frame = 0; frame < frames; frame++) {
    const step = Math.min(frame, frames - 1 - frame) * pixels;
    const spanNs = lengthNs / 2 ** (gesture === 'zoom' ? step * octavesAPixel : panOctaves);
    const startNs = (lengthNs - spanNs) * 0.43 + (gesture === 'pan' ? (step / width) * spanNs : 0);
    const endNs = startNs + spanNs;
    const x = d3.scaleLinear().domain([startNs, endNs]).range([0, width]);
    context.clearRect(0, 0, width, height);
    context.fillStyle = '#0072b2';
    for (const event of objects.filter(({ start, end }) => end > startNs && start < endNs)) {
      const left = x(event.start);
      context.fillRect(left, event.lane * row, Math.max(1, x(event.end) - left), row - 1);
    }
    // What was drawn is not put off to a later frame.
    context.getImageData(0, 0, 1, 1);
    const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    if (last !== undefined) deltas.push(now - last);
    last = now;
  }
  return deltas;
}

export interface D3Page {
  frames(size: Size, gesture: Gesture): Promise<number[]>;
  close(): Promise<void>;
}

/** A page that holds the events of a generated trace as objects. */
export async function openD3Page(browser: Browser, count: number): Promise<D3Page> {
  const events = eventsOf(openOnce(largeTrace(count)).trace);
  const server = createServer(({ url }, response) =>
    url === '/events'
      ? response.end(Buffer.from(events.buffer))
      : response.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page: Page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await addD3(page);
  const held = await page.evaluate(holdEvents, FIELDS);
  if (held !== count) throw new Error(`the peer holds ${held} events`);
  server.close();
  return {
    async frames(size, gesture) {
      await page.setViewportSize(size);
      return page.evaluate(drawFrames, {
        gesture,
        lengthNs: eventsReachNs(count),
        frames: FRAMES / EVERY,
        pixels: WHEEL_PIXELS * EVERY,
        octavesAPixel: OCTAVES_A_PIXEL,
        panOctaves: PAN_TURNS * WHEEL_PIXELS * OCTAVES_A_PIXEL,
      });
    },
    close: () => page.close(),
  };
}
