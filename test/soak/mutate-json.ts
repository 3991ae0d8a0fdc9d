import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { damaged, randomFrom } from '../../src-main/trace/event-json/testing/damage.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openFile } from '../../src-main/trace/open-file.ts';
import { sharedData } from '../support/requirements.ts';

/**
 * Opens real traces of the PyTorch profiler with bytes changed at random, as they are, without what tells them from
 * Chrome traces, and compressed: whatever is in a file, opening it ends within 10 s in a trace or in a failure with a
 * sentence. An exception or a crash ends the run.
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
const originals = files.map((name) => gunzipSync(readFileSync(join(sharedData, 'kineto', name))));
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

for (let run = 0; run < runs; run++) {
  const random = randomFrom(seed * 1_000_003 + run);
  const original = originals[run % originals.length] ?? Buffer.alloc(0);
  const content = damaged(run % 3 === 1 ? asChrome(original) : original, random);
  const path = join(folder, 'mutated.json');
  writeFileSync(path, run % 3 === 2 ? gzipSync(content, { level: 1 }) : content);
  const begun = performance.now();
  const opened = await openFile(path, options);
  const ms = performance.now() - begun;
  slowestMs = Math.max(slowestMs, ms);
  const warned = opened.ok && opened.value.notices.some(({ level }) => level === 'warning');
  const outcome = opened.ok
    ? `${opened.value.meta.format}${warned ? ', warned' : ''}`
    : opened.error.code;
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (ms < TIME_LIMIT_MS && (opened.ok || /^[^\n]+\.$/.test(opened.error.message))) continue;
  failures++;
  console.error(`run ${run}: ${outcome} after ${ms.toFixed(0)} ms`);
}
rmSync(folder, { recursive: true });
console.log(`${runs} runs, seed ${seed}: slowest ${slowestMs.toFixed(0)} ms`);
for (const [outcome, count] of outcomes) console.log(`${String(count).padStart(6)}  ${outcome}`);
process.exitCode = failures > 0 ? 1 : 0;
