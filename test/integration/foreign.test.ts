import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { explainCallText, explainTraceText } from '../../src-main/cli/explain-text.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { type FixtureContent, makeIngeroDatabase } from '../fixtures/ingero/make.ts';

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
    expect(trace.processes.map(({ pid, role }) => [pid, role])).toEqual([[100, 'main']]);
    const { diagnosis, text } = explained(trace);
    expect(diagnosis.headline).toBe(
      'Only sums of its CUDA calls are in this file: 31,749 calls in 1.415 s, most of it in cudaMemcpyAsync (675 calls, 907.0 ms, the longest 30.00 ms) and cudaLaunchKernel (31,074 calls, 508.0 ms, the longest 9.000 ms). The threads of its job left the CPU 2,000 times for 3.000 s in all. When each call ran is not known, so it cannot tell what the GPU waited for.',
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
  expect(text).toContain('they are no shares of the time');
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

  test('is summed by who and why, and keeps its list', () => {
    const { waitChain } = longCall();
    expect(waitChain.segments.length).toBeGreaterThan(300);
    expect(waitChain.sums.length).toBeLessThan(5);
    expect(waitChain.sums.reduce((all, { ns }) => all + ns, 0)).toBe(1_000 * MS);
    const offCpu = waitChain.sums.find(({ count }) => count === 300);
    expect(offCpu).toMatchObject({ ns: 400 * MS, longestNs: 2 * MS });
  });

  test('is printed with the sums first, the list behind them', () => {
    const lines = explainCallText(longCall()).split('\n');
    const sums = lines.indexOf('Wait chain, by who and why');
    const list = lines.findIndex((line) => /^Its \d+ segments in order of time$/.test(line));
    expect(lines.slice(sums, list).join('\n')).toContain('300×, longest 2.000 ms');
    expect(list).toBeGreaterThan(sums);
    expect(lines.length - list).toBeGreaterThan(300);
  });
});
