import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createTraceSession } from '../../src-main/app/trace-process/trace-session.ts';
import { largeTrace } from '../support/large-trace.ts';
import { median } from '../support/median.ts';

/**
 * "Why slow" of single calls while the diagnosis of the whole trace is worked out, in the process of an open
 * trace. The peer is what one thread would do: there each of them waits until the diagnosis is there.
 * Its target is 100 ms an explanation. Also told: the memory of the process.
 */

const TARGET_MS = 100;
const EVERY_MS = 20;

const events = Number(process.argv[2] ?? 10_000_000);
const signal = new AbortController().signal;
const context = { signal, session: signal, progress: () => undefined };

const scratchFolder = mkdtempSync(join(tmpdir(), 'stalltrace-nothing-waits-'));
process.on('exit', () => rmSync(scratchFolder, { recursive: true, force: true }));
const session = createTraceSession();
const dataSocket = join(scratchFolder, 'data');
const opened = await session.open({ path: largeTrace(events), scratchFolder, dataSocket }, context);
if (!opened.ok) throw new Error(opened.error.message);
const calls = opened.value.tables.cuda_call.rows;
const residentMb = () => (process.memoryUsage.rss() / 2 ** 20).toFixed(0);
const openedMb = residentMb();

async function timeOf(call: number): Promise<number> {
  const begun = performance.now();
  const explained = await session['trace.explain']({ call }, context);
  if (!explained.ok) throw new Error(explained.error.message);
  return performance.now() - begun;
}

// What all explanations stand on is worked out once, after opening.
const [first] = [await timeOf(0)];

let isDiagnosed = false;
const begun = performance.now();
const diagnosing = session['trace.diagnose']({}, context).then((diagnosed) => {
  if (!diagnosed.ok) throw new Error(diagnosed.error.message);
  isDiagnosed = true;
});
const times: number[] = [];
for (let call = 1; !isDiagnosed; call = (call + Math.floor(calls / 97)) % calls) {
  times.push(await timeOf(call));
  await delay(EVERY_MS);
}
await diagnosing;
const diagnosisMs = performance.now() - begun;

const sorted = times.toSorted((a, b) => a - b);
const longest = sorted.at(-1) ?? Number.NaN;
const waited = `median ${median(times).toFixed(1)} ms, longest ${longest.toFixed(0)} ms`;
console.log(
  `${events.toLocaleString('en-US')} events; the first explanation ${first.toFixed(0)} ms`,
);
console.log(
  `why slow during a diagnosis of ${diagnosisMs.toFixed(0)} ms: ${waited} of ${times.length} (target ${TARGET_MS} ms)`,
);
console.log(
  `one thread: up to ${diagnosisMs.toFixed(0)} ms, ${(diagnosisMs / longest).toFixed(1)} times as long`,
);
console.log(`memory: ${openedMb} MB opened, ${residentMb()} MB after`);
process.exit(0);
