import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { traceIndex } from '../../src-main/analysis/index/trace-index.ts';
import { operationStats } from '../../src-main/analysis/operations/operations.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

const expectedFile = join(sharedData, 'EXPECTED.json');
const published = join(sharedData, 'ingero/dataloader_starvation.db');
const emptyCache = join(sharedData, 'ingero/empty_cache.db');

const scratchDir = mkdtempSync(join(tmpdir(), 'explain-'));
afterAll(() => rmSync(scratchDir, { recursive: true }));

const opened = new Map<string, Trace>();
function traceOf(path: string): Trace {
  const known = opened.get(path);
  if (known !== undefined) return known;
  const result = openTrace(path, { scratchDir, importers, progress: () => undefined });
  if (!result.ok) throw new Error(result.error.message);
  const trace = withRoles(result.value);
  opened.set(path, trace);
  return trace;
}

function slowestCopy(trace: Trace): number {
  const copies = operationStats(trace, { bySize: false }).filter(
    ({ name }) => name === 'cudaMemcpyAsync',
  );
  copies.sort((a, b) => b.maxNs - a.maxNs);
  return copies[0]?.slowestCall ?? -1;
}

type Total = readonly [source: string, name: string, count: number, totalNs: number];

function totalsOf(trace: Trace): Total[] {
  const totals = new Map<string, [string, string, number, number]>();
  const stats = operationStats(trace, { bySize: false });
  for (const { source, name, count, totalNs } of stats.filter((each) => !each.onlySums)) {
    const key = `${source} ${name}`;
    const total = totals.get(key) ?? [source, name, 0, 0];
    total[2] += count;
    total[3] += totalNs;
    totals.set(key, total);
  }
  return [...totals.values()];
}

/** Sorted by source and name; counts and times untouched. */
const inOrder = (totals: readonly Total[]) =>
  [...totals].sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1));

describeWith(['sharedData'], 'the published DataLoader investigation', () => {
  test('says what the slowest copy’s size and rate show, and that its time is unexplained', () => {
    const trace = traceOf(published);
    const { call, headline, accounting, rate, hostMemory, rank, offCpu } = explainCall(
      trace,
      slowestCopy(trace),
    );
    expect(call).toMatchObject({
      durationNs: 65_000_369,
      bytes: 419_430_400,
      direction: 'H2D',
      tid: 2233,
    });
    expect(rate).toMatchObject({ basis: 'inferred' });
    expect(rate?.bytesPerNs).toBeCloseTo(6.4527, 3);
    expect(hostMemory).toMatchObject({ kind: 'pageable', basis: 'inferred' });
    expect(accounting).toMatchObject([{ kind: 'unexplained', ns: 65_000_369 }]);
    expect(accounting[0]?.reason).toContain('first stored switch of thread 2233 begins at');
    expect(accounting[0]?.reason).toContain(
      'counted 887 switches of it; 853 of them are in this file.',
    );
    expect(rank).toEqual({
      rank: 1,
      of: 8,
      medianNs: 61_860_587,
      p95Ns: 65_000_369,
      maxNs: 65_000_369,
      partial: true,
      peers: 'cudaMemcpyAsync · H2D · > 256 MiB',
    });
    expect(offCpu).toMatchObject({ complete: false, spans: [] });
    expect(headline).toBe(
      'Nothing in this trace shows what this call waited for: its switches are not recorded. Size and rate fit a copy from pageable memory (inferred).',
    );
  });

  test('rules the workers out, and shows their whole-file sums', () => {
    const trace = traceOf(published);
    const { wholeFile, cannotTell } = explainCall(trace, slowestCopy(trace));
    expect(wholeFile.ruledOut).toBe(
      'The DataLoader workers were forked 49.77 s after this call ended: they cannot have slowed it.',
    );
    const rows = wholeFile.activity.map(({ pid, tid, role, switches, pageAllocations }) => [
      tid ?? pid,
      role,
      switches,
      pageAllocations,
    ]);
    // The process with all its threads, then its main thread: pages are kept by process.
    expect(rows.slice(0, 7)).toEqual([
      [2233, 'main', 22_778, 1_173_407],
      [2233, 'main', 3713, undefined],
      [2254, 'dataloader-worker', 53_526, 77_792],
      [2255, 'dataloader-worker', 45_281, 71_226],
      [2256, 'dataloader-worker', 40_292, 59_036],
      [2257, 'dataloader-worker', 29_956, 49_110],
      [2258, 'pin-memory', 18_093, undefined],
    ]);
    expect(cannotTell.map(({ question }) => question)).not.toContain(
      'What did the DataLoader workers do during this call?',
    );
    expect(cannotTell.every(({ because }) => because.endsWith('.'))).toBe(true);
  });

  test('says why a process recorded as python3 counts as a worker', () => {
    const { processes, threads } = traceOf(published);
    const workers = processes.filter(({ role }) => role === 'dataloader-worker');
    expect(workers.map(({ pid }) => pid)).toEqual([2254, 2255, 2256, 2257]);
    expect(workers[0]?.roleBasis).toBe(
      'recorded as python3, but forked by 2233 within 79.04 ms of 3 processes named pt_data_worker, with page allocations of the same order (77,792 against 49,110–71,226)',
    );
    expect(processes.find(({ pid }) => pid === 2233)?.role).toBe('main');
    const pin = threads.find(({ tid }) => tid === 2258);
    expect(pin?.role).toBe('pin-memory');
    expect(processes[pin?.process ?? -1]?.pid).toBe(2233);
  });
});

describeWith(['sharedData'], 'the empty_cache investigation', () => {
  test('explains the slowest copy without believing sums that the rows contradict', () => {
    const trace = traceOf(emptyCache);
    const explanation = explainCall(trace, slowestCopy(trace));
    expect(explanation.call).toMatchObject({ durationNs: 31_292_901, bytes: 272_269_312 });
    expect(explanation.rank).toMatchObject({ rank: 1, of: 1 });
    expect(explanation.hostMemory).toMatchObject({ kind: 'pageable', basis: 'inferred' });
    expect(explanation.accounting.reduce((sum, { ns }) => sum + ns, 0)).toBe(31_292_901);
    expect(explanation.offCpu.complete).toBe(false);
    expect(explanation.offCpu.note).toContain('so its count proves nothing');
    expect(explanation.wholeFile.ruledOut).toBeUndefined();
    const main = explanation.wholeFile.activity.find(({ tid }) => tid === 30_581);
    // It runs Transformers' generate without gradients: whether for requests is not recorded.
    expect(main).toMatchObject({ pid: 30_581, role: 'gpu-process', switches: 45 + 38 });
    // Ingero counted 2 switches in that minute, but measured a second; 9 short ones are stored.
    const { activity } = traceIndex(trace);
    const thread = trace.threads.findIndex(({ tid }) => tid === 30_591);
    expect(activity().switches[thread]).toBeGreaterThanOrEqual(9);
    expect(activity().offCpuNs[thread]).toBeGreaterThanOrEqual(1_000_158_380);
    expect(explanation.call.stack.some(({ language }) => language === 'python')).toBe(true);
  });
});

describeWith(['sharedData'], 'EXPECTED.json', () => {
  test.each(['ingero/dataloader_starvation.db', 'ingero/empty_cache.db'])(
    'counts and times every operation of %s as plain SQL does',
    (file) => {
      const expected = JSON.parse(readFileSync(expectedFile, 'utf8'))[file].events as Total[];
      expect(inOrder(totalsOf(traceOf(join(sharedData, file))))).toEqual(inOrder(expected));
    },
  );

  test('accounts for every call of both files to the ns', () => {
    for (const path of [published, emptyCache]) {
      const trace = traceOf(path);
      const { durationNs } = trace.tables.cuda_call.columns;
      durationNs.forEach((ns, row) => {
        const { accounting } = explainCall(trace, row);
        expect(accounting.reduce((sum, part) => sum + part.ns, 0)).toBe(ns);
      });
    }
  });
});
