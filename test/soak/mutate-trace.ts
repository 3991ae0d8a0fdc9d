import { type ChildProcess, fork } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { randomFrom } from '../../src-main/trace/event-json/testing/damage.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openFile } from '../../src-main/trace/open-file.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { damagedDatabase } from '../../src-main/trace/testing/damaged-database.ts';
import { makeSchemaBomb, schemaBombs } from '../../src-main/trace/testing/schema-bombs.ts';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { root } from '../support/built.ts';
import { sharedData } from '../support/requirements.ts';

/**
 * Opens real traces with bytes changed at random, also compressed ones, logs beside them that were changed or cut,
 * and files with a schema that holds a CPU: whatever is in a file, opening it takes at most 10 s of a CPU, and ends in a
 * trace or in a failure with a sentence, never in an exception, a crash or a hang, and rows that a log lost are told.
 *
 *   node test/soak/mutate-trace.ts --runs 500 --seed 1 [--format ingero|nsight|stalltrace]
 */

/** Of CPU time; far more than the worst of them takes. */
const TIME_LIMIT_MS = 10_000;
/** A child that says nothing for so long hangs, however busy the machine is. */
const SILENCE_LIMIT_MS = 300_000;

/** By format, the folder of its files. */
const folders = {
  ingero: join(sharedData, 'ingero'),
  nsight: join(sharedData, 'nsys'),
  stalltrace: join(root, 'resources/sample'),
} as const;
type Format = keyof typeof folders;
const formats = Object.keys(folders) as Format[];

function filesOf(format: Format): Buffer[] {
  const names = readdirSync(folders[format]).filter((name) => /\.(db|sqlite)$/.test(name));
  return names.map((name) => readFileSync(join(folders[format], name)));
}

/** A compressed trace with bytes changed, some of them in its first blocks, or one of a changed trace. */
function mutatePacked(original: Buffer, random: () => number): Buffer {
  const pack = random() < 0.5 ? gzipSync : zstdCompressSync;
  if (random() < 0.3) return pack(damagedDatabase(original, random));
  const bytes = pack(original.subarray(0, 2 ** 18));
  const whole = random() < 0.3 ? Buffer.concat([bytes, pack(original.subarray(2 ** 18))]) : bytes;
  for (let changes = Math.floor(random() * 4); changes > 0; changes--)
    whole[Math.floor(random() ** 4 * whole.length)] = Math.floor(random() * 256);
  return random() < 0.3 ? whole.subarray(0, Math.floor(random() * whole.length)) : whole;
}

interface Request {
  readonly path: string;
  readonly scratchDir: string;
  /** Rows of the file before it was changed: fewer must come with a notice. */
  readonly rows?: number;
}

/** In the child: opens the file it is told and answers with what came out. */
function serve(): void {
  process.on('message', (request: Request) => {
    void outcomeOf(request).then((outcome) => process.send?.(outcome));
  });
}

async function outcomeOf({ path, scratchDir, rows = 0 }: Request): Promise<string> {
  const before = process.cpuUsage();
  const result = await openFile(path, { scratchDir, importers, progress() {} });
  const { user, system } = process.cpuUsage(before);
  if ((user + system) / 1e3 > TIME_LIMIT_MS) return 'SLOW';
  if (!result.ok) return result.error.message === '' ? 'no sentence' : result.error.code;
  const found = rowsOf(result.value);
  if (found < rows && result.value.notices.length === 0) return 'SILENT';
  return found < rows ? 'ok, less, told' : 'ok';
}

const rowsOf = ({ tables }: Trace) =>
  Object.values(tables).reduce((sum, table) => sum + table.rows, 0);

/** A trace as its recorder has it that is still at work: a commit in the file, twenty in the log. */
function recordLive(path: string): { database: Buffer; log: Buffer; rows: number } {
  makeIngeroDatabase(path, '0.17.0');
  const recorder = new DatabaseSync(path);
  recorder.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0');
  for (let commit = 0; commit < 20; commit++)
    recorder.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO events (id, timestamp, pid, tid, source, op, duration)
      SELECT 'soak:' || ${commit} || ':' || i, 1774015560500000000 + i, 100, 100, 1, 7, 5 FROM n`);
  const [database, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  const opened = openTrace(path, { scratchDir: `${path}-scratch`, importers, progress() {} });
  recorder.close();
  if (!opened.ok) throw new Error(opened.error.message);
  return { database, log, rows: rowsOf(opened.value) };
}

const FRAME_BYTES = 24 + 4096;

/** Changes bytes anywhere or in the heads of pages, or cuts; between two pages a cut may leave a younger log. */
function mutateLog(bytes: Buffer, random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  if (random() < 0.4) {
    const length = below(bytes.length);
    return bytes.subarray(0, (length - 32) % FRAME_BYTES === 0 ? length + 1 : length);
  }
  for (let changes = 1 + below(6); changes > 0; changes--) {
    const inHead = 32 + below((bytes.length - 32) / FRAME_BYTES) * FRAME_BYTES + below(24);
    bytes[random() < 0.5 ? inHead : below(random() < 0.1 ? 32 : bytes.length)] = below(256);
  }
  return bytes;
}

function ask(child: ChildProcess, request: Request): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('HANG'), SILENCE_LIMIT_MS);
    const onMessage = (answer: unknown) => finish(String(answer));
    const onExit = (code: number | null, signal: string | null) =>
      finish(`CRASH ${signal ?? code}`);
    function finish(answer: string): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      resolve(answer);
    }
    child.once('message', onMessage).once('exit', onExit);
    child.send(request);
  });
}

/** One of the files of one of the formats. */
function pick(originals: ReadonlyMap<Format, readonly Buffer[]>, random: () => number): Buffer {
  const ofFormat = [...originals.values()][Math.floor(random() * originals.size)] ?? [];
  const picked = ofFormat[Math.floor(random() * ofFormat.length)];
  if (picked === undefined) throw new Error('there is no file of a format');
  return picked;
}

async function soak(runs: number, seed: number, wanted: readonly Format[]): Promise<number> {
  const originals = new Map(wanted.map((format) => [format, filesOf(format)]));
  const folder = mkdtempSync(join(tmpdir(), 'stalltrace-soak-'));
  const live = recordLive(join(folder, 'live.db'));
  const bombs = Object.keys(schemaBombs);
  const outcomes = new Map<string, number>();
  let failures = 0;
  let slowestMs = 0;
  let child = fork(fileURLToPath(import.meta.url), ['--serve']);
  for (let run = 0; run < runs; run++) {
    const random = randomFrom(seed * 1_000_003 + run);
    const path = join(folder, 'mutated.db');
    for (const suffix of ['', '-wal']) rmSync(path + suffix, { force: true });
    const request = { path, scratchDir: join(folder, 'scratch') };
    const kind = run % 5;
    if (kind < 2) writeFileSync(path, damagedDatabase(pick(originals, random), random));
    else if (kind === 2) {
      writeFileSync(path, live.database);
      writeFileSync(`${path}-wal`, mutateLog(Buffer.from(live.log), random));
    } else if (kind === 3) writeFileSync(path, mutatePacked(pick(originals, random), random));
    else {
      makeSchemaBomb(path, bombs[Math.floor(run / 5) % bombs.length] ?? '');
      if (random() < 0.8) writeFileSync(path, damagedDatabase(readFileSync(path), random));
    }
    const begin = performance.now();
    const outcome = await ask(child, kind === 2 ? { ...request, rows: live.rows } : request);
    slowestMs = Math.max(slowestMs, performance.now() - begin);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (!/^(HANG|SLOW|CRASH|SILENT|no sentence)/.test(outcome)) continue;
    failures++;
    const kept = join(tmpdir(), `stalltrace-soak-${seed}-${run}.db`);
    for (const suffix of ['', '-wal'])
      if (existsSync(path + suffix)) copyFileSync(path + suffix, kept + suffix);
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
    format: { type: 'string' },
    serve: { type: 'boolean', default: false },
  },
});
const wanted = formats.filter((format) => (values.format ?? format) === format);
if (wanted.length === 0) throw new Error(`--format is one of ${formats.join(', ')}`);
if (values.serve) serve();
else process.exitCode = (await soak(Number(values.runs), Number(values.seed), wanted)) > 0 ? 1 : 0;
