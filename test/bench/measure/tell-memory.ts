import { statSync } from 'node:fs';
import { largeTrace } from '../../support/large-trace.ts';
import { tell } from './figures.ts';
import { hostMemory, pageHeap } from './memory.ts';
import { goalAt } from './sizes.ts';
import type { TimelineApp } from './timeline-app.ts';

const BYTES_AN_EVENT = 60;
/** Of all processes at fifty million events. */
const LARGEST_EVENTS = 50_000_000;
const LARGEST_BYTES = 6 * 2 ** 30;

/** What an open trace takes once nothing happens, and what it took at most. */
export async function tellMemory(events: number, { host, session }: TimelineApp): Promise<void> {
  const { all, trace } = await hostMemory(host.process.pid as number);
  const heap = await pageHeap(session);
  const file = { name: "SQLite's file", value: statSync(largeTrace(events)).size / events };
  const bytes = { size: events, unit: 'B an event' };
  tell({ ...bytes, figure: 'memory of the trace process', value: trace.now / events });
  tell({ ...bytes, figure: "memory of the page's JavaScript", value: heap / events });
  tell({
    ...{ ...bytes, figure: 'memory of all processes and the page', peer: file },
    ...{ value: (all.now + heap) / events, ...goalAt(events, BYTES_AN_EVENT) },
  });
  tell({
    ...{ size: events, figure: 'memory of the trace process, most' },
    ...{ unit: 'MiB', value: trace.most / 2 ** 20 },
  });
  tell({
    ...{ size: events, figure: 'memory of all processes and the page, most' },
    ...{ unit: 'MiB', value: (all.most + heap) / 2 ** 20 },
    ...(events === LARGEST_EVENTS && { goal: LARGEST_BYTES / 2 ** 20 }),
  });
}
