import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionsRun } from '../../src-main/analysis/chain/functions-run.ts';
import { waitChain } from '../../src-main/analysis/chain/wait-chain.ts';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { loaderOptions } from '../../src-main/analysis/findings/fixes/snippets.ts';
import { rankOfThread } from '../../src-main/analysis/jobs/job-index.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { CausalChain } from '../../src-main/shared/answers/diagnosis.ts';
import { codeOf, directions, hostMemoryKinds } from '../../src-main/shared/model/codes.ts';
import { framesOf } from '../../src-main/shared/model/stacks.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { formatDuration } from '../../src-main/shared/text/units.ts';
import { phaseRows } from '../../src-main/shared/words/phase-rows.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { findingInStretch } from '../../src-renderer/state/investigation/finding-in-stretch.ts';
import { whoDid } from '../../src-renderer/views/why-slow/chain-parts.ts';
import { root } from '../support/built.ts';

const file = join(root, 'resources/sample/dataloader-starvation.trace.db');
let folder = '';
let trace: Trace;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-bundled-'));
  const opened = openTrace(file, { scratchDir: folder, importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  trace = opened.value;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Rows of the copies to the device. */
function copies(): number[] {
  const { direction } = trace.tables.cuda_call.columns;
  const toDevice = codeOf(directions, 'H2D');
  return [...(direction ?? []).keys()].filter((row) => direction?.[row] === toDevice);
}

const worstOf = (occurrences: CausalChain['occurrences']) =>
  occurrences.reduce((most, each) => (each.costNs > most.costNs ? each : most));

describe('the bundled sample', () => {
  test('is a capture, and says which part of its machine was not real', () => {
    expect(trace.meta.synthetic).toBeUndefined();
    expect(trace.meta.simulated).toContain('There was no GPU');
    expect(trace.meta.recorder).toMatch(/^Stalltrace agent/);
    expect(trace.notices.filter(({ level }) => level === 'warning')).toEqual([]);
    expect(trace.tables.gap.rows).toBe(0);
  });

  test('is a DataLoader’s: main and four workers an epoch, known as such', () => {
    const roles = trace.processes.map(({ role }) => role);
    expect(roles.filter((role) => role === 'main')).toHaveLength(1);
    expect(roles.filter((role) => role === 'dataloader-worker')).toHaveLength(8);
  });

  test('copies pageable memory, and the slowest copy waited for a CPU most of its time', () => {
    const { bytes, durationNs, hostMemory, runQueueNs } = trace.tables.cuda_call.columns;
    const rows = copies();
    expect(rows).toHaveLength(32);
    for (const row of rows) {
      expect(bytes?.[row]).toBe(24 << 20);
      expect(hostMemory?.[row]).toBe(codeOf(hostMemoryKinds, 'pageable'));
    }
    const shares = rows
      .toSorted((a, b) => (durationNs[b] ?? 0) - (durationNs[a] ?? 0))
      .map((row) => (runQueueNs?.[row] ?? 0) / (durationNs[row] ?? 1));
    expect(shares[0]).toBeGreaterThan(0.5);
  });

  test('names the Python line of each copy', () => {
    const { stack } = trace.tables.cuda_call.columns;
    expect(copies()).not.toEqual([]);
    for (const row of copies())
      expect(framesOf(trace.stacks, stack?.[row] ?? -1)).toContainEqual(
        expect.objectContaining({ symbol: 'Gpu.transfer_batch', language: 'python' }),
      );
  });

  test('has fixes that can be pasted one after the other: each keeps what those before it changed', () => {
    const { findings } = diagnose(withRoles(trace)).diagnosis;
    const loaders = findings.flatMap(({ fix }) => loaderOptions(fix.after) ?? []);
    expect(findings[0]?.fix.title).toBe('Set num_workers=2');
    expect(loaders.map((options) => options.get('num_workers'))).toEqual(['2', '2', '2']);
    expect(Object.fromEntries(loaders.at(-1) ?? [])).toEqual({
      num_workers: '2',
      pin_memory: 'True',
      persistent_workers: 'True',
    });
  });

  test('has fixes that say which of the job’s own lines they are for', () => {
    const { findings } = diagnose(withRoles(trace)).diagnosis;
    const codeOf = (id: string) => findings.find((each) => each.id === id)?.fix.after ?? '';
    expect(codeOf('workers-to-cores')).toMatch(
      /^# Replaces the loader that train \(train\.py:\d+\) goes through\.\n# Replaces --workers 4\.\n(?:#.*\n)*loader = DataLoader\(Rows\(\.\.\.\), /,
    );
    expect(codeOf('pin-memory')).toMatch(/^# In Gpu\.transfer_batch \(train\.py:\d+\):\n/);
    expect(codeOf('slow-getitem')).toMatch(/^ {8}torch\.save\([\w.]+\(each\)/m);
  });

  test('tells one figure of a finding, or why there are two', () => {
    const { findings } = diagnose(withRoles(trace)).diagnosis;
    const told = findings.map(({ costNs, sentence, evidence }) => {
      const cost = formatDuration(costNs);
      return (
        sentence.includes(cost) || evidence.some(({ text }) => text.includes(`${cost} is counted`))
      );
    });
    expect(told).toEqual(findings.map(() => true));
  });

  test('has rows of what the time went to that add up with the phases of its loop', () => {
    const { costs, ranks, findings, windowNs } = diagnose(withRoles(trace)).diagnosis;
    const phases = ranks.flatMap(phaseRows);
    for (const { label, ns = 0, phase } of phases) {
      const rest = costs.filter((cost) => cost.phase === phase);
      const restNs = rest.reduce((sum, cost) => sum + cost.ns, 0);
      expect(rest.every((cost) => cost.label.startsWith(label))).toBe(true);
      expect(restNs).toBeLessThanOrEqual(Math.ceil(ns));
      if (rest.some((cost) => cost.label === label)) expect(restNs).toBeCloseTo(ns, 0);
    }
    expect(findings.length).toBeGreaterThan(0);
    expect(costs.reduce((sum, { ns }) => sum + ns, 0)).toBeCloseTo(windowNs, 0);
  });

  test('shows of each finding a moment that is more of it than of any other', () => {
    const { diagnosis } = diagnose(withRoles(trace));
    const { chains, ranks } = diagnosis;
    const shown = chains.map(({ finding, rank, occurrences }) => {
      const stretch = { thread: ranks[rank].rank.mainThread, ...worstOf(occurrences) };
      return [finding, findingInStretch(diagnosis, stretch)?.id];
    });
    expect(shown).toEqual([
      ['workers-to-cores', 'workers-to-cores'],
      ['pin-memory', 'pin-memory'],
      ['noisy-neighbour', 'noisy-neighbour'],
      ['persistent-workers', 'persistent-workers'],
      // More than half of it is in the first batch of new workers, whose start costs more.
      ['slow-getitem', 'persistent-workers'],
    ]);
  });

  test('says of a worker what the answer says of it, by one name', () => {
    const known = withRoles(trace);
    const { chains, ranks, findings } = diagnose(known).diagnosis;
    const slow = findings.find(({ id }) => id === 'slow-getitem');
    const { occurrences = [] } = chains.find(({ finding }) => finding === slow?.id) ?? {};
    const { mainThread } = ranks[0].rank;
    const { startNs, endNs } = worstOf(occurrences);
    const rank = rankOfThread(known, mainThread);
    const waited = waitChain(known, rank, mainThread, startNs, endNs);
    const told = whoDid({ ...waited, ranWithin: functionsRun(known, waited) }, slow);
    const worker = told.find(
      ({ thread, state }) => thread.name.startsWith('DataLoader worker') && state === 'running',
    );
    expect(slow?.title).toMatch(/, in burn \(train\.py:33\), called by Rows\.__getitem__$/);
    expect(worker?.reason).toBe('ran burn (train.py:33)');
  });

  test('says nothing of the machine it was made on', () => {
    const text = readFileSync(file, 'latin1');
    for (const place of ['/root/', '/home/', '/tmp/', '/work/']) expect(text).not.toContain(place);
  });
});
