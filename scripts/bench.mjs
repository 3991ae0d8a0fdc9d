// `npm run bench`: every benchmark in test/bench, each against a named peer in the same run.
// `npm run bench NAME …`: these only. With `--json` all that they measured is one JSON document, and what they
// say meanwhile goes to stderr. `--events 10000,50000000`: how many events the traces have (test/bench/README.md).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const USAGE = 'usage: npm run bench -- [--json] [--events N,…] [NAME …]';
const COUNTS = /^[1-9]\d{3,8}(,[1-9]\d{3,8})*$/;

const benchmarks = readdirSync('test/bench')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));

function refuse(sentence) {
  console.error(sentence);
  process.exit(2);
}

function readArguments() {
  const options = { json: { type: 'boolean', default: false }, events: { type: 'string' } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse(`${error.message}\n${USAGE}`);
  }
}

const {
  values: { json, events },
  positionals: wanted,
} = readArguments();
if (events !== undefined && !COUNTS.test(events))
  refuse(`--events takes counts from 1000 to 999999999, as in 10000,50000000.\n${USAGE}`);
const unknown = wanted.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0)
  refuse(`No benchmark is called ${unknown.join(' or ')}. There are ${benchmarks.join(', ')}.`);

const folder = mkdtempSync(join(tmpdir(), 'stalltrace-figures-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs one; what it measured, as it told it, and whether it came to its end. */
function run(name) {
  (json ? console.error : console.log)(`\n=== ${name}`);
  const file = join(folder, name);
  const environment = {
    ...process.env,
    STALLTRACE_FIGURES: file,
    ...(events !== undefined && { STALLTRACE_BENCH_EVENTS: events }),
  };
  const { status } = spawnSync('node', [`test/bench/${name}.ts`], {
    stdio: ['inherit', json ? 2 : 'inherit', 'inherit'],
    env: environment,
  });
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return { name, figures: lines.map((line) => JSON.parse(line)), isDone: status === 0 };
}

const runs = (wanted.length === 0 ? benchmarks : wanted).map(run);
const named = (picked) => picked.map(({ name }) => name);
if (json) {
  const measured = {
    measuredAt: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cpus: availableParallelism() },
    node: process.version,
    figures: runs.flatMap(({ figures }) => figures),
    // These say theirs as text only, on stderr.
    textOnly: named(runs.filter(({ figures, isDone }) => isDone && figures.length === 0)),
    failed: named(runs.filter(({ isDone }) => !isDone)),
  };
  console.log(JSON.stringify(measured, null, 2));
}
process.exit(runs.every(({ isDone }) => isDone) ? 0 : 1);
