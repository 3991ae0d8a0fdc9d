import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parseTraceMlSummary } from '../../src-main/shared/library/traceml-summary.ts';
import { damaged, randomFrom } from '../../src-main/trace/event-json/testing/damage.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openFile } from '../../src-main/trace/open-file.ts';
import { sharedData } from '../support/requirements.ts';

/**
 * Opens real traces of the PyTorch profiler with bytes changed at random, as they are, without what tells them from
 * Chrome traces, and compressed, and real summaries by TraceML: whatever is in a file, opening it takes at most 10 s of a CPU, and ends in what it holds or in a failure
 * with a sentence. An exception or a crash ends the run.
 *
 *   node test/soak/mutate-json.ts --runs 500 --seed 1
 */

/** Far more than the worst of them takes. */
const TIME_LIMIT_MS = 10_000;
const files = [
  'hta_alexnet_cuda_sync.json.gz',
  'hta_cpuonly_norank.json.gz',
  'hta_rank0of128.json.gz',
  'tracelens_h100_bert.json.gz',
  'tracelens_mi300_ddp.json.gz',
];

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];
const traces = files.map((name) => gunzipSync(readFileSync(join(sharedData, 'kineto', name))));
const summaries = readdirSync(join(sharedData, 'traceml')).map((name) =>
  readFileSync(join(sharedData, 'traceml', name)),
);
const folder = mkdtempSync(join(tmpdir(), 'stalltrace-soak-'));
const options = { scratchDir: join(folder, 'scratch'), importers, progress: () => undefined };
const outcomes = new Map<string, number>();
let slowestMs = 0;
let failures = 0;

/** A Chrome trace of some program: none of the names by which the profiler's own are told. */
function asChrome(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const renamed = text.replace(
    /deviceProperties|distributedInfo|schemaVersion|baseTimeN/g,
    'other',
  );
  return Buffer.from(renamed.replace(/"cat": "[a-z_]+"/g, '"cat": "some"'), 'latin1');
}

interface Outcome {
  readonly what: string;
  /** Where it could not be read. */
  readonly sentence?: string;
}

/** A trace of the profiler, every third run as it is, as a Chrome trace, and compressed. */
async function openTraceOf(run: number, random: () => number): Promise<Outcome> {
  const original = traces[run % traces.length] ?? Buffer.alloc(0);
  const content = damaged(run % 3 === 1 ? asChrome(original) : original, random);
  const path = join(folder, 'mutated.json');
  writeFileSync(path, run % 3 === 2 ? gzipSync(content, { level: 1 }) : content);
  const opened = await openFile(path, options);
  if (!opened.ok) return { what: opened.error.code, sentence: opened.error.message };
  const { meta, notices } = opened.value;
  const warned = notices.some(({ level }) => level === 'warning');
  return { what: `${meta.format}${warned ? ', warned' : ''}` };
}

function readSummary(run: number, random: () => number): Outcome {
  const text = damaged(summaries[run % summaries.length] ?? Buffer.alloc(0), random).toString();
  const read = parseTraceMlSummary(text, 'mutated.json');
  if (read.ok) return { what: 'TraceML' };
  return { what: `TraceML, ${read.error.code}`, sentence: read.error.message };
}

async function soak(what: typeof openTraceOf | typeof readSummary): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    const outcome = await what(run, randomFrom(seed * 1_000_003 + run));
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1e3;
    slowestMs = Math.max(slowestMs, ms);
    outcomes.set(outcome.what, (outcomes.get(outcome.what) ?? 0) + 1);
    const isSaid = outcome.sentence === undefined || /^[^\n]+\.$/.test(outcome.sentence);
    if (ms < TIME_LIMIT_MS && isSaid) continue;
    failures++;
    console.error(`run ${run}: ${outcome.what} after ${ms.toFixed(0)} ms of CPU time`);
  }
}

await soak(openTraceOf);
await soak(readSummary);
rmSync(folder, { recursive: true });
console.log(`${runs} runs of each, seed ${seed}: slowest ${slowestMs.toFixed(0)} ms of CPU time`);
for (const [outcome, count] of outcomes) console.log(`${String(count).padStart(6)}  ${outcome}`);
process.exitCode = failures > 0 ? 1 : 0;
