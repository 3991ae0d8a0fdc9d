import { describe, expect, test } from 'vitest';
import { buildTrace } from '../../testing/build-trace.ts';
import type { Need } from '../rule.ts';
import * as needs from './needs.ts';

const all: Need[] = Object.values(needs).filter((need) => typeof need !== 'function');

describe('needs of rules', () => {
  test('each says of an empty trace what would answer it; those of one question say the same', () => {
    const cpus = [0, 1].map((id) => ({ id, number: id, package: id, numaNode: id }));
    const nothing = buildTrace({ machine: { cpus, gpus: [{ model: 'GPU' }] } });
    const answers = new Map(all.map(({ question, missing }) => [question, missing(nothing)]));
    for (const { question, missing } of all) expect(missing(nothing)).toBe(answers.get(question));
    for (const { question, missing } of all) {
      expect(question).toMatch(/\?$/);
      // Without a single wait nobody can have held a CPU against the job.
      expect(missing(nothing), question).toMatch(/\.$/);
    }
  });

  test('the recorder’s own reason comes first', () => {
    const trace = buildTrace({
      provenance: { page_fault: { kind: 'absent', note: 'Not asked for: see --profile.' } },
    });
    expect(needs.timedPageFaults.missing(trace)).toBe(
      'Not asked for: see --profile. `record --profile faults` stores them.',
    );
  });

  test('sums around CUDA calls answer for the calls, and say what they leave open', () => {
    const note = 'Not visible from inside the container.';
    const trace = buildTrace({
      provenance: { off_cpu: { kind: 'absent', note } },
      rows: { cuda_call: [{ thread: 0, offCpuNs: 5, runQueueNs: 3, stolenNs: 1 }] },
    });
    expect([needs.cpuWaits, needs.knownRunning].map(({ missing }) => missing(trace))).toEqual([
      undefined,
      undefined,
    ]);
    for (const { missing } of [needs.runQueue, needs.completeSwitches])
      expect(missing(trace)).toMatch(
        /^Around CUDA calls, only how long is measured, .*container\./,
      );
  });

  test('sampled switches are not all switches', () => {
    const rows = { off_cpu: [{ startNs: 1, durationNs: 5, thread: 0, runQueueNs: 2 }] };
    const plan = { threads: [{ tid: 1 }], rows };
    expect(needs.completeSwitches.missing(buildTrace(plan))).toBeUndefined();
    const sampled = buildTrace({
      ...plan,
      provenance: { off_cpu: { kind: 'sampled', note: 'Read every 10 ms.' } },
    });
    expect(needs.completeSwitches.missing(sampled)).toContain('Read every 10 ms.');
    expect(needs.runQueue.missing(sampled)).toBeUndefined();
  });

  test('a table that could have had rows answers with none', () => {
    const trace = buildTrace({ provenance: { block_io: { kind: 'exact', note: '' } } });
    expect(needs.blockIo.missing(trace)).toBeUndefined();
  });

  test('memory is known where any copy says it', () => {
    const copies = (hostMemory: number) =>
      buildTrace({ rows: { cuda_call: [{ startNs: 0, durationNs: 1, thread: 0, hostMemory }] } });
    expect(needs.memoryKind.missing(copies(4))).toBeUndefined();
    expect(needs.memoryKind.missing(copies(0))).toContain('record -- COMMAND');
  });

  test('native stacks are no Python', () => {
    const rows = { cpu_sample: [{ startNs: 0, thread: 0, stack: 0 }] };
    const frame = (language: 'python' | 'native') => [[{ symbol: 'f', language }]];
    const native = buildTrace({ rows, stacks: frame('native') });
    expect(needs.pythonSamples.missing(native)).toContain('no Python frames');
    expect(needs.pythonSamples.missing(buildTrace({ rows, stacks: frame('python') }))).toBe(
      undefined,
    );
  });
});
