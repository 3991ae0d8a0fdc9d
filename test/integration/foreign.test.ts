import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { explainCallText, explainTraceText } from '../../src-main/cli/texts/explain-text.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { BEGIN_UNIX_NS, type FixtureContent, makeIngeroDatabase } from '../fixtures/ingero/make.ts';

/** What `explain` makes of files unlike the published ones, from the file to the printed text. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const MS = 1_000_000;

function opened(content: FixtureContent): Trace {
  const path = join(folder, 'trace.db');
  makeIngeroDatabase(path, '0.17.0', content);
  const scratchDir = join(folder, 'scratch');
  const result = openTrace(path, { scratchDir, importers, progress() {} });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return withRoles(result.value);
}

function explained(trace: Trace) {
  const { diagnosis } = diagnose(trace);
  return { diagnosis, text: explainTraceText(diagnosis, trace) };
}

describe('a file with sums only', () => {
  const sums = [
    { pid: 100, source: 1, op: 3, count: 31_074, totalNs: 508 * MS, maxNs: 9 * MS },
    { pid: 100, source: 1, op: 7, count: 675, totalNs: 907 * MS, maxNs: 30 * MS },
    { pid: 100, source: 4, op: 1, count: 31_659, totalNs: 175 * MS, maxNs: 5 * MS },
    { pid: 100, source: 3, op: 1, count: 2_000, totalNs: 3_000 * MS, maxNs: 80 * MS },
  ];

  test('has a verdict from its sums, and a process that makes the calls', () => {
    const trace = opened({ events: [], sums, processNames: { 100: 'python3' } });
    expect(trace.processes.map(({ pid, role }) => [pid, role])).toEqual([[100, 'gpu-process']]);
    const { diagnosis, text } = explained(trace);
    expect(diagnosis.headline).toBe(
      'Only sums of its CUDA calls are in this file: 31,749 calls to the CUDA runtime in 1.415 s, most of it in cudaMemcpyAsync (675 calls, 907.0 ms, the longest 30.00 ms) and cudaLaunchKernel (31,074 calls, 508.0 ms, the longest 9.000 ms). The threads of its job left the CPU 2,000 times for 3.000 s in all. When each call ran is not known, so the file cannot tell what the GPU waited for.',
    );
    expect(text).not.toMatch(/no CUDA call/i);
    expect(text).not.toContain(' %');
  });

  test('says so too where it does not say whose they are', () => {
    const unnamed = sums.slice(0, 1).map((sum) => ({ ...sum, pid: 0 }));
    const { diagnosis, text } = explained(opened({ events: [], sums: unnamed }));
    expect(diagnosis.headline).toContain('Only sums of the CUDA calls are in this file: 31,074');
    expect(text).not.toMatch(/no CUDA call/i);
  });
});

describe('a file with sums and some of the calls', () => {
  const call = (atMs: number) => ({
    ...{ pid: 100, source: 1, op: 7, arg1: 1, arg0: 4096, timestampNs: atMs * MS, durationNs: MS },
  });
  const sums = [
    { pid: 100, source: 1, op: 7, count: 21, stored: 2, totalNs: 665 * MS, maxNs: 80 * MS },
    { pid: 100, source: 3, op: 1, count: 713, stored: 0, totalNs: 1_000 * MS, maxNs: 80 * MS },
    { pid: 200, source: 3, op: 1, count: 90_000, stored: 0, totalNs: 40_000 * MS },
    { pid: 200, source: 3, op: 3, count: 5, sumArg0: 20_480 },
  ];
  const fork = { pid: 100, source: 3, op: 7, arg1: 200, timestampNs: MS };
  const processNames = { 100: 'python3', 200: 'pt_data_worker' };

  test('tells no less than one with sums only, the workers too', () => {
    const events = [fork, call(10), call(50)];
    const { diagnosis, text } = explained(opened({ events, sums, processNames }));
    expect(diagnosis.headline).toBe(
      'This file holds 2 of its 21 calls to the CUDA runtime; by the recorder’s sums all of them took 665.0 ms, most of it in cudaMemcpyAsync (21 calls, 665.0 ms, the longest 80.00 ms). The threads of its job left the CPU 90,713 times for 41.00 s in all, and asked 5 times for memory, 20.00 KiB. Of these its 1 DataLoader worker left the CPU 90,000 times for 40.00 s in all, and asked 5 times for memory, 20.00 KiB. When the others ran is not known, so the file cannot tell what the GPU waited for.',
    );
    expect(text).toContain('Steps not found: not every CUDA call is stored');
  });

  test('says “at least” where some stored calls may not be in its sums, and tells of operations without sums', () => {
    const some = [
      { pid: 100, source: 1, op: 7, count: 21, stored: 1, totalNs: 665 * MS, maxNs: 80 * MS },
    ];
    const sync = { pid: 100, source: 1, op: 5, timestampNs: 60 * MS, durationNs: 900 * MS };
    const trace = opened({ events: [call(10), call(50), sync], sums: some, processNames });
    const { diagnosis } = explained(trace);
    expect(diagnosis.headline).toMatch(
      /^This file holds 3 of its 23 calls to the CUDA runtime; by the recorder’s sums and what is stored all of them took at least 1\.565 s, most of it in cudaStreamSync \(1 call, 900\.0 ms\) and cudaMemcpyAsync \(22 calls, at least 665\.0 ms, the longest 80\.00 ms\)\./,
    );
    expect(diagnosis.clues?.map(({ text }) => text)).toContain(
      'CUDA calls took at least 1.565 s, 900.0 ms of it in cudaStreamSync',
    );
    expect(trace.notices.map(({ text }) => text)).toContain(
      'Ingero stored 3 of 23 CUDA calls; the rest is known as sums only.',
    );
  });

  test('tells of a worker that nobody is known to have started', () => {
    const { diagnosis } = explained(opened({ events: [call(10), call(50)], sums, processNames }));
    expect(diagnosis.headline).toContain(
      'The threads of its job left the CPU 713 times for 1.000 s in all. Beside these, 1 DataLoader worker left the CPU 90,000 times for 40.00 s in all, and asked 5 times for memory, 20.00 KiB; who started it is not in the file.',
    );
  });
});

describe('a process of which only CUDA calls are known', () => {
  /** Bursts of small copies in and out after irregular idle times, as of a server of tokens. */
  const bursts = Array.from({ length: 12 }, (_, burst) => {
    const atMs = 10 + burst * 400 + ((burst * 7919) % 300);
    return [0, 1, 2].flatMap((nth) => [
      { ...{ source: 1, op: 7, arg0: 4096, arg1: 1 }, timestampNs: (atMs + nth * 20) * MS },
      { ...{ source: 1, op: 3 }, timestampNs: (atMs + nth * 20 + 1) * MS },
      { ...{ source: 1, op: 7, arg0: 512, arg1: 2 }, timestampNs: (atMs + nth * 20 + 2) * MS },
    ]);
  });
  const events = bursts.flat().map((call) => ({ ...call, pid: 100, durationNs: MS / 2 }));
  const counted = { stored: 36, count: 36, totalNs: 36 * (MS / 2) };
  const sums = [
    { pid: 100, source: 1, op: 7, ...counted, stored: 72, count: 72, totalNs: 36 * MS },
    { pid: 100, source: 1, op: 3, ...counted },
  ];

  test('is none that trains, and no server either', () => {
    const trace = opened({ events, sums, processNames: { 100: 'python3' } });
    expect(trace.tables.cuda_call.provenance.kind).toBe('exact');
    expect(trace.processes[0]).toMatchObject({
      role: 'gpu-process',
      roleBasis:
        'makes all 108 CUDA calls of this trace; whether it trains or answers requests is not known',
    });
    const { diagnosis, text } = explained(trace);
    expect(diagnosis).toMatchObject({
      verdict: 'unknown',
      ranks: [{ steps: { loopUnknown: true } }],
    });
    expect(diagnosis.headline).toMatch(
      /^Whether this process trains or answers requests is not known: .* If you know what it is, set its role under Processes\.$/,
    );
    expect(text).not.toMatch(/training (loop|thread|process)|DataLoader\b(?! worker)/i);
  });

  test.each([
    ['set by its user', {}, [{ pid: 100, role: 'main' as const }]],
    ['called so', { processNames: { 100: 'train_llama' } }, []],
    [
      'with a worker on its machine',
      {
        events: [...events, { pid: 300, source: 3, op: 6, timestampNs: MS }],
        processNames: { 300: 'pt_data_worker' },
      },
      [],
    ],
    [
      'with a label of training',
      {
        sql: `INSERT INTO annotations (timestamp, labels, pid) VALUES (${BEGIN_UNIX_NS}, '{"phase":"train"}', 100)`,
      },
      [],
    ],
  ] as const)('trains where it is %s', (_, more, set) => {
    const trace = opened({ events, sums, ...more });
    expect(withRoles(trace, set).processes[0]?.role).toBe('main');
  });

  test('trains where another rank of its run does', () => {
    const both = events.flatMap((event) => [
      { ...event, node: 'gpu-a', comm: 'python3' },
      { ...event, node: 'gpu-b', comm: 'bert-train' },
    ]);
    const sql = 'UPDATE events SET world_size = 2, rank = (node = ‘gpu-b’)'.replace(/[‘’]/g, "'");
    expect(opened({ events: both, sql }).processes.map(({ role }) => role)).toEqual([
      'main',
      'main',
    ]);
  });

  test('trains where its calls come from code that does', () => {
    const frames = JSON.stringify([{ pf: '/app/train.py', pfn: 'main', pl: 82 }]);
    const stack = `INSERT INTO stack_traces (hash, ips, frames) VALUES (7, '', '${frames}')`;
    const called = events.map((event) => ({ ...event, stackHash: 7n }));
    expect(opened({ events: called, sums, sql: stack }).processes[0]?.role).toBe('main');
  });
});

test('what a selection of the calls took is printed as time, never as a share of it', () => {
  const call = (op: number, atMs: number, ms: number) => ({
    ...{ pid: 100, source: 1, op, arg1: op === 7 ? 1 : 0, arg0: op === 7 ? 4096 : 0 },
    ...{ timestampNs: atMs * MS, durationNs: ms * MS },
  });
  const { diagnosis, text } = explained(
    opened({
      events: [call(7, 10, 5), call(5, 20, 10), call(7, 1_000, 5)],
      sums: [{ pid: 100, source: 1, op: 7, count: 500, stored: 2, totalNs: 900 * MS }],
    }),
  );
  expect(diagnosis).toMatchObject({ isSelection: true, verdict: 'unknown', findings: [] });
  expect(text).not.toContain(' %');
  expect(text).toContain('So no shares of the whole time are given');
  expect(text).toContain('Outside the stored calls');
});

describe('a wait chain of hundreds of segments', () => {
  /** A call of 1 s in which its thread left the CPU 300 times, twice as long in every third. */
  function longCall() {
    const switches = Array.from({ length: 300 }, (_, at) => ({
      ...{ pid: 100, source: 3, op: 1, arg1: 100, timestampNs: (103 + 3 * at) * MS },
      durationNs: at % 3 === 0 ? 2 * MS : MS,
    }));
    const around = [2, 1_200].map((atMs) => ({
      ...{ pid: 100, source: 3, op: 1, arg1: 100, timestampNs: atMs * MS, durationNs: MS },
    }));
    const call = { pid: 100, source: 1, op: 6, timestampNs: 100 * MS, durationNs: 1_000 * MS };
    const trace = opened({
      events: [call, ...around, ...switches],
      sums: [{ pid: 100, source: 3, op: 1, count: 302, stored: 302, totalNs: 402 * MS }],
    });
    return explainCall(trace, 0);
  }

  test('ran at most so long, where the recorder does not say whether it lost a switch', () => {
    const { accounting, waitChain } = longCall();
    const ran = accounting.find(({ kind }) => kind === 'running');
    expect(ran).toMatchObject({ basis: 'inferred', reason: expect.stringContaining('as far as') });
    const running = waitChain.segments.filter(({ state }) => state === 'running');
    expect(running.length).toBeGreaterThan(0);
    // Short stretches that are told as one may hold waits of which nothing is known.
    for (const { proof, reason, count } of running)
      expect([proof, reason]).toEqual([
        count === undefined ? 'bound' : 'partly',
        expect.stringMatching(/, at most$/),
      ]);
    expect(waitChain.segments.some(({ proof }) => proof === 'unknown')).toBe(true);
  });

  test('is summed by who and why, and keeps its list', () => {
    const { waitChain } = longCall();
    expect(waitChain.segments.length).toBeGreaterThan(300);
    expect(waitChain.sums.length).toBeLessThan(5);
    expect(waitChain.sums.reduce((all, { ns }) => all + ns, 0)).toBe(1_000 * MS);
    const offCpu = waitChain.sums.find(({ count }) => count === 300);
    expect(offCpu).toMatchObject({ ns: 400 * MS, longestNs: 2 * MS });
  });

  test('is printed with the sums first, the list behind them', () => {
    const call = longCall();
    const linesOf = (all: boolean) => explainCallText(call, {}, all).split('\n');
    const lines = linesOf(true);
    const sums = lines.indexOf('Wait chain, by who and why');
    const list = lines.findIndex((line) =>
      /^Its \d+ segments( of \d+ stretches)? in order of time$/.test(line),
    );
    expect(lines.slice(sums, list).join('\n')).toContain('300×, longest 2.000 ms');
    expect(list).toBeGreaterThan(sums);
    expect(lines.length - list).toBeGreaterThan(300);
    const longest = linesOf(false);
    expect(longest.find((line) => line.startsWith('The 25 longest of its '))).toContain('--all');
    expect(longest.length).toBe(lines.length - call.waitChain.segments.length + 25);
  });
});

describe('a job that serves', () => {
  const launch = (pid: number, atMs: number) => ({
    ...{ pid, source: 1, op: 3, durationNs: 5_000 },
    timestampNs: atMs * MS,
  });
  const fork = (pid: number, child: number, atMs: number) => ({
    ...{ pid, source: 3, op: 7, arg1: child },
    timestampNs: atMs * MS,
  });
  const sleep = (pid: number, fromMs: number, ms: number) => ({
    ...{ pid, source: 3, op: 1, arg1: pid, durationNs: ms * MS },
    timestampNs: (fromMs + ms) * MS,
  });

  function server() {
    return opened({
      events: [
        ...[1, 20, 8_000, 9_000].map((atMs) => launch(100, atMs)),
        ...[fork(100, 300, 30), sleep(100, 31, 2_000), sleep(100, 4_000, 3_000)],
      ],
      sums: [{ pid: 100, source: 1, op: 3, count: 4, stored: 4, totalNs: 20_000 }],
      processNames: { 100: 'VLLM::EngineCor', 300: 'ptxas' },
    });
  }

  test('is a server with its compiler, and no training process', () => {
    const trace = server();
    expect(trace.processes.map(({ name, role }) => [name, role])).toEqual([
      ['VLLM::EngineCor', 'server'],
      ['ptxas', 'compiler'],
    ]);
    expect(trace.processes[1]?.roleBasis).toBe('named ptxas, a compiler, started by 100');
    const { diagnosis, text } = explained(trace);
    expect(diagnosis.headline).toMatch(/^This job serves requests: .* idle between requests/);
    expect(diagnosis.verdict).toBe('serving');
    expect(diagnosis.ranks[0]?.steps).toMatchObject({ serves: true, basis: 'none' });
    expect(text).toContain('Idle between requests, or other host time');
    expect(text).not.toMatch(/training (process|loop|thread)|waiting for input/i);
  });

  test('says which long sleep began right after a fork, and only that', () => {
    const { text } = explained(server());
    expect(text).toMatch(
      /The main thread was off the CPU for 2\.000 s from [^;]*, right after it started ptxas \(pid 300\): it may have waited for that program\./,
    );
    expect(text).not.toContain('3.000 s from');
  });

  test('is told by the code that calls, but not where it has DataLoader workers', () => {
    const frames =
      '[{"s":"cudaLaunchKernel"},{"pf":"/x/vllm/v1/engine/core.py","pfn":"step","pl":9}]';
    const content = {
      events: [{ ...launch(100, 1), stackHash: 7n }, fork(100, 300, 2)],
      sql: `INSERT INTO stack_traces VALUES (7, '', '${frames}')`,
    };
    const serves = opened({ ...content, processNames: { 100: 'python3' } });
    expect(serves.processes[0]).toMatchObject({
      role: 'server',
      roleBasis: expect.stringContaining('vllm/v1/engine/core.py'),
    });
    rmSync(join(folder, 'trace.db'));
    const trains = opened({ ...content, processNames: { 100: 'python3', 300: 'pt_data_worker' } });
    expect(trains.processes.map(({ role }) => role)).toEqual(['main', 'dataloader-worker']);
  });
});
