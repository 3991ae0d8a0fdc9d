import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';

/**
 * Opens real traces with bytes changed at random: whatever is in a file, opening it ends within
 * 10 s in a trace or in a failure with a sentence, never in an exception, a crash or a hang.
 *
 *   node test/soak/mutate-trace.ts --runs 500 --seed 1
 */

const TIME_LIMIT_MS = 10_000;
const ingeroFolder = fileURLToPath(new URL('../../../shared/data/ingero', import.meta.url));

/** mulberry32: a seed gives the same run on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Changes bytes, mostly where they hurt: in the header, in b-tree page heads, in the schema. */
function mutate(bytes: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  const changes = 1 + below(40);
  const place = below(4);
  for (let change = 0; change < changes; change++) {
    const page = below(bytes.length / 4096) * 4096;
    const at = [
      () => below(bytes.length),
      () => page + below(64),
      () => below(Math.min(4096 * 3, bytes.length)),
      () => page + 4096 - 1 - below(1024),
    ][place]?.();
    bytes[at ?? 0] = random() < 0.2 ? 0xff : below(256);
  }
  return random() < 0.1 ? bytes.subarray(0, below(bytes.length)) : bytes;
}

/** In the child: opens the file it is told and answers with what came out. */
function serve(): void {
  process.on('message', (request: { path: string; scratchDir: string }) => {
    const { path, scratchDir } = request;
    const result = openTrace(path, { scratchDir, importers, progress() {} });
    process.send?.(
      result.ok ? 'ok' : result.error.message === '' ? 'no sentence' : result.error.code,
    );
  });
}

function ask(child: ChildProcess, path: string, scratchDir: string): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('HANG'), TIME_LIMIT_MS);
    const onMessage = (answer: unknown) => finish(String(answer));
    const onExit = (code: number | null, signal: string | null) =>
      finish(`CRASH ${signal ?? code}`);
    function finish(answer: string): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve(answer);
    }
    child.once('message', onMessage).once('exit', onExit);
    child.send({ path, scratchDir });
  });
}

async function soak(runs: number, seed: number): Promise<number> {
  const files = readdirSync(ingeroFolder).filter((name) => name.endsWith('.db'));
  const originals = files.map((name) => readFileSync(join(ingeroFolder, name)));
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-soak-'));
  const outcomes = new Map<string, number>();
  let failures = 0;
  let slowestMs = 0;
  let child = fork(fileURLToPath(import.meta.url), ['--serve']);
  for (let run = 0; run < runs; run++) {
    const random = randomFrom(seed * 1_000_003 + run);
    const bytes = mutate(Buffer.from(originals[run % originals.length] ?? ''), random);
    const path = join(folder, 'mutated.db');
    writeFileSync(path, bytes);
    const begin = performance.now();
    const outcome = await ask(child, path, join(folder, 'scratch'));
    slowestMs = Math.max(slowestMs, performance.now() - begin);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (!/^(HANG|CRASH|no sentence)/.test(outcome)) continue;
    failures++;
    const kept = join(tmpdir(), `stalltrace-soak-${seed}-${run}.db`);
    writeFileSync(kept, bytes);
    console.error(`run ${run}: ${outcome}, kept as ${kept}`);
    child.kill('SIGKILL');
    child = fork(fileURLToPath(import.meta.url), ['--serve']);
  }
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
  console.log(`${runs} runs, seed ${seed}: slowest ${slowestMs.toFixed(0)} ms`);
  for (const [outcome, count] of outcomes) console.log(`${String(count).padStart(6)}  ${outcome}`);
  return failures;
}

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    serve: { type: 'boolean', default: false },
  },
});
if (values.serve) serve();
else process.exitCode = (await soak(Number(values.runs), Number(values.seed))) > 0 ? 1 : 0;
