import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { median } from '../support/median.ts';
import { sharedData } from '../support/requirements.ts';
import { tell } from './measure/figures.ts';

/**
 * Opening a trace of the PyTorch profiler against JSON.parse of the same text, which makes objects and no columns:
 * medians of interleaved runs. And the memory of opening one that is many times larger, which JSON.parse can't.
 *
 *   node test/bench/open-json.ts [--large BYTES]
 */

const RUNS = 5;
/** Opening ÷ JSON.parse. */
const GOAL = 1;
/** Of the file that is opened. */
const EVENTS = 216_092;
const folder = mkdtempSync(join(tmpdir(), 'stalltrace-bench-'));
const scratchDir = join(folder, 'scratch');

function openOnce(path: string): { ms: number; events: number } {
  const begun = performance.now();
  const opened = openTrace(path, { scratchDir, importers, progress: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  const { tables } = opened.value;
  const events = tables.cuda_call.rows + tables.gpu_work.rows + tables.range.rows;
  return { ms: performance.now() - begun, events };
}

function parseOnce(path: string): number {
  const begun = performance.now();
  JSON.parse(readFileSync(path, 'utf8'));
  return performance.now() - begun;
}

function compare(path: string): void {
  const own: number[] = [];
  const parse: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    own.push(openOnce(path).ms);
    parse.push(parseOnce(path));
  }
  const [ownMs, parseMs] = [median(own), median(parse)];
  const peer = { name: 'JSON.parse', value: parseMs };
  tell({ size: EVENTS, figure: 'open', unit: 'ms', value: ownMs, peer, goal: GOAL * parseMs });
}

/** The events of `path` again and again, each time later, until the file is so large. */
function makeLarge(path: string, bytes: number): string {
  const text = readFileSync(path, 'utf8');
  const begin = text.indexOf('[', text.indexOf('"traceEvents"')) + 1;
  const end = text.lastIndexOf(']');
  const events = text.slice(begin, end);
  const large = join(folder, 'large.json');
  writeFileSync(large, text.slice(0, begin));
  const copies = Math.ceil(bytes / events.length);
  for (let copy = 0; copy < copies; copy++) {
    // Every copy two seconds later: its steps follow those before.
    const later = events.replace(
      /"ts": (\d+)/g,
      (_, ts: string) => `"ts": ${Number(ts) + copy * 2_000_000}`,
    );
    writeFileSync(large, copy === 0 ? later : `,${later}`, { flag: 'a' });
  }
  writeFileSync(large, text.slice(end), { flag: 'a' });
  return large;
}

/** In a process of its own, whose memory is then that of the opening alone. */
function openElsewhere(path: string, bytes: number): void {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), '--open', path],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr);
  console.log(`${(bytes / 1e6).toFixed(0)} MB: ${stdout.trim()}`);
}

function openHere(path: string): void {
  const { ms, events } = openOnce(path);
  const megabytes = process.resourceUsage().maxRSS / 1024;
  console.log(
    `${events.toLocaleString('en-US')} rows in ${(ms / 1000).toFixed(1)} s, at most ${megabytes.toFixed(0)} MB of memory in all`,
  );
}

const { values } = parseArgs({ options: { large: { type: 'string' }, open: { type: 'string' } } });
try {
  if (values.open !== undefined) openHere(values.open);
  else {
    const path = join(folder, 'trace.json');
    const packed = readFileSync(join(sharedData, 'kineto/hta_large_216k.json.gz'));
    writeFileSync(path, gunzipSync(packed));
    compare(path);
    openElsewhere(path, statSync(path).size);
    if (values.large !== undefined) {
      const large = makeLarge(path, Number(values.large));
      openElsewhere(large, statSync(large).size);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
