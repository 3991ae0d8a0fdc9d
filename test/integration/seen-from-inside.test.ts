import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { explainCall } from '../../src-main/analysis/call/explain-call.ts';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { mainCauses } from '../../src-main/analysis/findings/facts/main-causes.ts';
import { copyRecordOf } from '../../src-main/analysis/operations/gpu-record.ts';
import { streamEmptyAt } from '../../src-main/analysis/outstanding/stream-empty.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import { phasesOf } from '../../src-main/analysis/steps/phases.ts';
import { stateCode, visitStates } from '../../src-main/analysis/threads/visit-states.ts';
import { phases as phaseNames } from '../../src-main/shared/answers/steps.ts';
import { codeOf } from '../../src-main/shared/model/codes.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { formatDuration } from '../../src-main/shared/text/units.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { simulateDataloaderStarvation } from '../simulation/scenario.ts';
import { seenFromInside } from '../simulation/seen-from-inside.ts';
import { runCli } from '../support/run-cli.ts';

/**
 * A job recorded from inside its container: CUDA calls with sums measured around them, what the GPU
 * ran by CUPTI's correlation ids, and nothing of the kernel's switches.
 */

let folder = '';
let file = '';
/** Everything the machine did, and what of it could be seen. */
let whole: Trace;
let trace: Trace;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-inside-'));
  file = join(folder, 'inside.trace.db');
  whole = simulateDataloaderStarvation();
  const written = writeTraceFile(file, seenFromInside(whole, { gpuRecords: true }));
  if (!written.ok) throw new Error(written.error.message);
  const opened = openTrace(file, { scratchDir: folder, importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  trace = withRoles(opened.value);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** How long `thread` was on a CPU, as the whole recording shows. */
function runningWithin(from: Trace, thread: number, startNs: number, endNs: number): number {
  let ns = 0;
  visitStates(from, thread, startNs, endNs, (fromNs, toNs, state) => {
    if (state === stateCode.running) ns += toNs - fromNs;
  });
  return ns;
}

/** How long it was while the GPU did the copy of `call`; with nothing earlier to do all of it counts. */
function ranWhileCopying(call: number, startNs: number, endNs: number): number {
  const work = copyRecordOf(trace, call);
  if (work < 0 || streamEmptyAt(trace, call) === true) return Infinity;
  const { columns } = trace.tables.gpu_work;
  const beganNs = columns.startNs[work] ?? 0;
  const thread = trace.tables.cuda_call.columns.thread[call] ?? -1;
  const endedNs = beganNs + (columns.durationNs[work] ?? 0);
  return runningWithin(whole, thread, Math.max(startNs, beganNs), Math.min(endNs, endedNs));
}

/** The call of `op` that waited longest for a CPU. */
function waitedLongest({ names, tables }: Trace, op: string): number {
  const { columns } = tables.cuda_call;
  const waited = (row: number) => columns.runQueueNs?.[row] ?? -1;
  const rows = Array.from(columns.op, (name, row) => (names[name] === op ? [row] : [])).flat();
  return rows.reduce((most, row) => (waited(row) > waited(most) ? row : most));
}

describe('a trace from inside a container', () => {
  test('joins what the GPU ran to the calls, and takes the memory of copies from it', () => {
    const { gpu_work: work, cuda_call: calls } = trace.tables;
    expect(work.rows).toBeGreaterThan(2_000);
    expect(work.columns.call?.every((call) => call >= 0)).toBe(true);
    expect(
      work.columns.call?.every(
        (call, row) => calls.columns.correlation?.[call] === work.columns.correlation?.[row],
      ),
    ).toBe(true);
    expect(calls.columnProvenance.hostMemory?.note).toContain('GPU’s own records');
  });

  test('explains a call by its sums, and puts nothing where it is not known', () => {
    const row = waitedLongest(trace, 'cudaMemcpyAsync');
    const told = explainCall(trace, row);
    const { offCpuNs, runQueueNs, durationNs } = trace.tables.cuda_call.columns;
    const [waitedNs, offNs] = [runQueueNs?.[row] ?? 0, offCpuNs?.[row] ?? 0];
    expect(waitedNs).toBeGreaterThan(10e6);
    expect(told.accounting.map(({ kind, ns }) => [kind, ns])).toEqual([
      ['runnable', waitedNs],
      ['running', (durationNs[row] ?? 0) - offNs],
    ]);
    expect(told.headline).toMatch(/^Waited .* for a CPU; who had it meanwhile is not recorded\.$/);
    expect(told.offCpu).toMatchObject({ complete: false, spans: [], measuredNs: offNs });
    expect(told.contention).toMatchObject({ runnableNs: waitedNs, unknownNs: waitedNs });
    const { segments, sums, ending } = told.waitChain;
    expect(segments).toHaveLength(1);
    expect(segments[0]?.reason).toMatch(/^waited .* for a CPU and ran for .* is not known$/);
    expect(sums.map(({ state, ns }) => [state, ns]).sort()).toEqual([
      ['runnable', waitedNs],
      ['running', (durationNs[row] ?? 0) - offNs],
    ]);
    expect(ending).toContain('when inside the call is not known');
    expect(told.gpuWork).toMatchObject({
      count: 1,
      shown: [{ kind: 'copy', sourceMemory: 'pageable', destinationMemory: 'device' }],
    });
    expect(told.hostMemory).toMatchObject({ kind: 'pageable', basis: 'exact' });
    expect(told.memory.minorFaults).toBeGreaterThan(0);
  });

  test('asks only what is open, and says what would tell', () => {
    const row = waitedLongest(trace, 'cudaMemcpyAsync');
    const open = explainCall(trace, row).cannotTell;
    expect(open.map(({ question }) => question)).toEqual([
      'When during this call was the thread off the CPU?',
      'While it ran, was it copying or waiting for the GPU?',
      'Who held the CPU while the thread was off it?',
    ]);
    for (const { because } of open) expect(because).toMatch(/container, capture on its host\.$/);
  });

  test('says where each capture can be made that would answer more, in whole sentences', () => {
    const open = diagnose(trace).diagnosis.cannotTell;
    const told = open.filter(({ because }) => /Stalltrace’s agent|--profile/.test(because));
    expect(told.length).toBeGreaterThan(10);
    for (const { because } of told)
      expect(because).toMatch(/; for a job in a container, capture on its host\.$/);
    const { note } = explainCall(trace, waitedLongest(trace, 'cudaMemcpyAsync')).memory;
    expect(note.match(/capture with[^.]*/gi)?.length).toBeGreaterThan(0);
    for (const capture of note.match(/capture with[^.]*/gi) ?? [])
      expect(capture).toMatch(/; for a job in a container, capture on its host$/);
    for (const text of [note, ...open.map(({ because }) => because)])
      expect(text).not.toMatch(/[a-z] (Capture|Stalltrace)|job$/);
  });

  test('is sure of a call that never left the CPU', () => {
    const { offCpuNs, op } = trace.tables.cuda_call.columns;
    const row = op.findIndex(
      (name, at) => trace.names[name] === 'cudaStreamSynchronize' && offCpuNs?.[at] === 0,
    );
    const told = explainCall(trace, row);
    expect(told.offCpu).toMatchObject({ complete: true, spans: [] });
    expect(told.accounting.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['running', 'device-wait'],
    ]);
    expect(told.cannotTell).toEqual([]);
  });

  test('finds the time waited for a CPU and the pageable copies, as the whole trace does', () => {
    const { findings } = diagnose(trace).diagnosis;
    expect(findings.map(({ id }) => id).toSorted()).toEqual(['cpu-wait', 'pin-memory']);
    const waited = findings.find(({ id }) => id === 'cpu-wait');
    const all = diagnose(withRoles(whole)).ranks[0]?.facts.costs ?? [];
    const known = all.filter(
      ({ phase, cause }) => /^runnable-/.test(cause) && (phase === 'h2d' || phase === 'compute'),
    );
    const knownNs = known.reduce((sum, { ns }) => sum + ns, 0);
    expect(knownNs).toBeGreaterThan(0);
    // Inside calls no more was waited than the sums of all of them say.
    const sums = Array.from(trace.tables.cuda_call.columns.runQueueNs ?? []);
    const summedNs = sums.reduce((sum, ns) => sum + Math.max(0, ns), 0);
    expect(waited?.costNs).toBeLessThanOrEqual(summedNs);
    expect(waited?.costNs).toBeGreaterThan(summedNs / 4);
    // By the GPU's records copies begin with their calls: what was measured around whole calls is exact.
    expect(waited?.evidence.map(({ basis }) => basis)).toEqual(['exact', 'exact', 'unknown']);
    expect(waited?.evidence[1]?.text).toContain(formatDuration(summedNs));
  });

  test('calls no moment copying that may have been a wait for a CPU', () => {
    const { facts } = diagnose(trace).ranks[0] ?? {};
    if (facts === undefined) throw new Error('no rank');
    const staged = diagnose(trace).diagnosis.findings.find(({ id }) => id === 'pin-memory');
    const phases = phasesOf(trace, facts.rank);
    let ranNs = 0;
    let boundNs = 0;
    phases.startsNs.forEach((startNs, at) => {
      const call = phases.calls[at] ?? -1;
      if (phases.phases[at] !== codeOf(phaseNames, 'h2d') || call < 0) return;
      const endNs = phases.endsNs[at] ?? startNs;
      const stagedNs = mainCauses(trace, facts.rank, 'h2d', call, startNs, endNs)
        .filter(({ cause }) => cause === 'staging')
        .reduce((sum, { ns }) => sum + ns, 0);
      const onCpuNs = runningWithin(whole, facts.rank.mainThread, startNs, endNs);
      expect(stagedNs).toBeLessThanOrEqual(
        Math.min(onCpuNs, ranWhileCopying(call, startNs, endNs)),
      );
      ranNs += onCpuNs;
      boundNs += stagedNs;
    });
    expect(boundNs).toBeGreaterThan(ranNs / 4);
    expect(staged).toMatchObject({ confidence: 'likely' });
    expect(staged?.costNs).toBe(boundNs);
    expect(staged?.sentence).toContain('at least');
    expect(staged?.evidence[2]?.basis).toBe('inferred');
  });

  test('tells waiting for input by the ranges of the loader, as the whole trace does by stacks', () => {
    const { ranks, verdict, costs } = diagnose(trace).diagnosis;
    const steps = ranks[0]?.steps;
    const all = diagnose(withRoles(whole)).diagnosis;
    expect(verdict).toBe(all.verdict);
    const [inside, known] = [steps?.total.input ?? 0, all.ranks[0]?.steps.total.input ?? 0];
    expect(Math.abs(inside - known)).toBeLessThan(known / 100);
    expect(steps?.inputNote).toMatch(/64 ranges that the trace has around the loader’s `__next__`/);
    expect(costs.find(({ label }) => label === 'Waiting for input: cause not known')?.ns).toBe(
      inside,
    );
  });

  test('tells input wait by the loader’s ranges, and claims no more than it knows', () => {
    const { diagnosis } = diagnose(trace);
    const [rank] = diagnosis.ranks;
    const { columns } = trace.tables.range;
    const isNext = (row: number) => trace.names[columns.op[row] ?? -1]?.endsWith('.__next__');
    const nextNs = [...columns.durationNs.keys()]
      .filter(isNext)
      .reduce((sum, row) => sum + (columns.durationNs[row] ?? 0), 0);
    expect(rank).toMatchObject({ inputKnown: true });
    expect(rank?.steps.total.input).toBe(nextNs);
    // The batches of this job are of a class without pin_memory(); its workers are not recorded.
    const pageable = diagnosis.findings.find(({ id }) => id === 'pin-memory');
    const told = JSON.stringify(pageable);
    expect(told).not.toMatch(/batches are pinned|pins its batches|num_workers=\d/);
    expect(pageable?.fix.text).toContain('method `pin_memory`');
  });

  test('reads so on the command line', () => {
    const { code, stdout } = runCli(['explain', file, '--slowest', 'cudaMemcpyAsync'], folder);
    expect(code).toBe(0);
    expect(stdout).toContain('who had it meanwhile is not recorded');
    expect(stdout).not.toMatch(/stretch|did something that is not in this trace/);
    expect(stdout).toMatch(/What the GPU did for it\n.*kind: copy, .*memory it read: pageable/);
    expect(stdout).toMatch(/Inside it [\d,]+ page faults/);
  });

  test('its kernels and copies are below the stacks that asked for them, on the command line', () => {
    const { code, stdout, stderr } = runCli(['flame', file, '--weight', 'gpu-time'], folder);
    expect(code, stderr).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const printedNs = lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const { durationNs, call } = trace.tables.gpu_work.columns;
    const { stack } = trace.tables.cuda_call.columns;
    const workNs = Array.from(durationNs, (ns, row) =>
      (stack?.[call?.[row] ?? -1] ?? -1) >= 0 ? ns : 0,
    );
    expect(printedNs).toBe(workNs.reduce((sum, ns) => sum + ns, 0));
    expect(printedNs).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^<module> \(train\.py\);.* \(GPU\) \d+$/);
    expect(lines.some((line) => /;Copy H2D \(GPU\) \d+$/.test(line))).toBe(true);
    const missing = runCli(['flame', file, '--weight', 'off-cpu-time'], folder);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/This trace has no off-cpu-time\. .*container/);
  });
});
