import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import type { MeasuredClock } from '../../src-main/shared/remote/measured-clock.ts';
import type { Result } from '../../src-main/shared/rpc/result.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { stretchTrace } from '../../src-main/trace/merge/stretch-trace.ts';
import { mergeFiles } from '../../src-main/trace/merge-files.ts';
import { openFile } from '../../src-main/trace/open-file.ts';
import { describeWith, sharedData } from '../support/requirements.ts';

/** A recording as a second host has it whose clock is 0.4 s behind and gains 80 µs a second. */

const DRIFT = 8e-5;
const BEHIND_NS = 400e6;
const RECORDING = join(sharedData, 'ingero', 'dataloader_starvation.db');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-drift-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reading = () => ({
  scratchDir: join(folder, 'scratch'),
  importers,
  progress: () => undefined,
});

async function opened(path: string): Promise<Trace> {
  return must(await openFile(path, reading()));
}

function must<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** Read a second before the trace begins and a second after it ends, right to 0.1 ms. */
function readings({ meta }: Trace, offsetAt: (sinceNs: number) => number): Required<MeasuredClock> {
  const read = (sinceNs: number) => ({
    offsetNs: offsetAt(sinceNs),
    uncertaintyNs: 1e5,
    measuredAt: new Date(Number(meta.beginUnixNs / 1_000_000n) + sinceNs / 1e6).toISOString(),
  });
  return { ...read(-1e9), atEnd: read(meta.lengthNs + 1e9) };
}

describeWith(
  ['sharedData'],
  'a recording of two hosts, of which one has a clock that gains',
  () => {
    let first: Trace;
    let paths: readonly [string, string];
    let clocks: readonly [Required<MeasuredClock>, Required<MeasuredClock>];
    beforeAll(async () => {
      // As it is read from a file of ours: that ends where its sums do.
      const whole = join(folder, 'whole.db');
      must(writeTraceFile(whole, await opened(RECORDING)));
      const recorded = await opened(whole);
      const named = (trace: Trace, hostname: string): Trace => ({
        ...trace,
        hosts: [{ ...trace.hosts[0], hostname }],
      });
      first = named(recorded, 'node1');
      const gaining = stretchTrace(named(recorded, 'node2'), DRIFT);
      const { meta } = gaining;
      const other = {
        ...gaining,
        meta: { ...meta, beginUnixNs: meta.beginUnixNs - BigInt(BEHIND_NS) },
      };
      paths = [join(folder, 'node1.db'), join(folder, 'node2.db')];
      must(writeTraceFile(paths[0], first));
      must(writeTraceFile(paths[1], other));
      clocks = [
        readings(first, () => 0),
        readings(first, (sinceNs) => sinceNs * DRIFT - BEHIND_NS),
      ];
    });

    async function merged(name: string, measured: readonly MeasuredClock[]) {
      const files = paths.map((path, at) => ({
        path,
        name: `node${at + 1}.db`,
        clock: measured[at],
      }));
      const target = join(folder, name);
      must(await mergeFiles(files, target, { ...reading(), leavesOut: false }));
      const trace = await opened(target);
      const [, clock] = trace.clocks;
      return { trace, clock, words: trace.notices.map(({ text }) => text).join('\n') };
    }

    /** By how much the same call of both hosts is told apart at most, ns. */
    function furthestApart(trace: Trace): number {
      const { startNs, durationNs, thread } = trace.tables.cuda_call.columns;
      const hostOf = (row: number) =>
        trace.processes[trace.threads[thread[row]]?.process ?? -1]?.host ?? 0;
      const ends: [number[], number[]] = [[], []];
      for (let row = 0; row < startNs.length; row++)
        ends[hostOf(row) === 0 ? 0 : 1].push(startNs[row] + durationNs[row]);
      const [ours, theirs] = ends.map((all) => all.toSorted((a, b) => a - b));
      expect(theirs?.length).toBe(ours?.length);
      return Math.max(...(ours ?? []).map((ns, at) => Math.abs(ns - (theirs?.[at] ?? Infinity))));
    }

    test('lies within what is shown, which both readings make narrower', async () => {
      const once = await merged(
        'once.db',
        clocks.map(({ atEnd: _, ...before }) => before),
      );
      const twice = await merged('twice.db', clocks);
      for (const { trace, clock } of [once, twice])
        expect(furthestApart(trace)).toBeLessThanOrEqual(clock?.uncertaintyNs ?? 0);
      expect(twice.clock?.uncertaintyNs).toBeLessThan((once.clock?.uncertaintyNs ?? 0) / 5);
      expect(furthestApart(twice.trace)).toBeLessThan(furthestApart(once.trace) / 100);
      expect(once.words).toMatch(
        /node2\.db: .* measured both machines’ clocks before their captures/,
      );
      expect(twice.words).toMatch(
        /node2\.db: .* added to its times at its begin, and .* added to them at its end, .* before and after their captures/,
      );
      expect(twice.trace.meta.lengthNs).toBeLessThan(once.trace.meta.lengthNs);
    });
  },
);
