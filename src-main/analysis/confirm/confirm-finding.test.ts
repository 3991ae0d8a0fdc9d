import { describe, expect, test } from 'vitest';
import { type EarlierFinding, earlierFindingOf } from '../../shared/answers/confirmation.ts';
import type { Gpu } from '../../shared/model/trace.ts';
import { diagnose } from '../findings/diagnose.ts';
import { experimentFor } from '../findings/experiment.ts';
import { buildFacts } from '../findings/testing/build-facts.ts';
import { withRoles } from '../roles/roles.ts';
import { comparedRun } from '../run/run-summary.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { confirmFinding } from './confirm-finding.ts';

const MS = 1e6;

interface Plan {
  /** Of a step: in allocating memory, which its length is shortened by where it is less than 10 ms. */
  readonly allocateMs: number;
  readonly steps?: number;
  readonly stepMs?: number;
  readonly gpu?: string;
  readonly cpuCount?: number;
  readonly beginUnixNs?: string;
}

/** A job that allocates memory in every step. */
function job({ allocateMs, steps = 40, stepMs = 10 + allocateMs, ...told }: Plan) {
  const call = { thread: 0, layer: 1, bytes: -1, direction: 0 };
  const rows = Array.from({ length: steps }, (_, nth) => {
    const at = nth * stepMs * MS;
    // At its begin, where the GPU has nothing to do.
    const allocation = { ...call, op: 1, startNs: at, durationNs: allocateMs * MS };
    const copiedAt = at + (allocateMs + 1) * MS;
    return [
      ...(allocateMs > 0 ? [allocation] : []),
      { ...call, op: 0, startNs: copiedAt, durationNs: 2 * MS, bytes: 1e7, direction: 1 },
      { ...call, op: 2, startNs: copiedAt + 3 * MS, durationNs: 5 * MS },
    ];
  });
  const built = buildTrace({
    names: [
      ['CUDA', 'cudaMemcpyAsync'],
      ['CUDA', 'cudaMalloc'],
      ['CUDA', 'cudaDeviceSynchronize'],
    ],
    processes: [{ pid: 9, name: 'python3' }],
    threads: [{ tid: 9, name: 'python3' }],
    rows: {
      cuda_call: rows.flat(),
      off_cpu: rows.flat().flatMap(({ op, startNs, durationNs }) =>
        // Asleep in its waits for the GPU.
        op === 2 ? [{ thread: 0, startNs, durationNs, state: 1 }] : [],
      ),
    },
  });
  const gpus: Gpu[] = [{ model: told.gpu ?? 'H100' }];
  const hosts = [{ cpuCount: told.cpuCount ?? 8 }];
  const summary = { gpus, hosts, beginUnixNs: told.beginUnixNs ?? '1000' };
  return { trace: withRoles({ ...built, gpus, hosts }), summary };
}

function earlier(plan: Plan, changes: Partial<EarlierFinding> = {}): EarlierFinding {
  const { trace, summary } = job(plan);
  const { diagnosis } = diagnose(trace);
  const finding = diagnosis.findings.find(({ id }) => id === 'allocator');
  if (finding === undefined) throw new Error('the job has no such finding');
  return { ...earlierFindingOf(diagnosis, finding, comparedRun(trace, summary)), ...changes };
}

function confirmIn(plan: Plan, before: EarlierFinding) {
  const { trace, summary } = job(plan);
  return confirmFinding(trace, summary, before);
}

describe('a finding judged again', () => {
  const before = earlier({ allocateMs: 10 });

  test('is gone where the second trace does not have it, with both lengths of a step', () => {
    const told = confirmIn({ allocateMs: 0, beginUnixNs: '2000' }, before);
    expect(told).toMatchObject({
      outcome: 'gone',
      sentence:
        'The second trace does not have it any more. A mean step takes 9.944 ms instead of 19.67 ms: 49.4 % shorter (95 % interval: 46.9 % to 50.8 % shorter).',
      differs: [],
    });
    expect(told.figures).toEqual([
      { label: 'Its share of the time', before: '49.5 %', after: 'not found' },
      { label: 'Its cost a step', before: '9.750 ms', after: 'not found' },
      { label: 'A step, on average', before: '19.67 ms', after: '9.944 ms' },
    ]);
  });

  test('of which hardly anything is left is gone, and is not said to be missing', () => {
    const told = confirmIn({ allocateMs: 0.9, stepMs: 11, beginUnixNs: '2000' }, before);
    expect(told).toMatchObject({
      outcome: 'gone',
      sentence: expect.stringMatching(
        /^Hardly any of it is left\. A mean step takes 10\.92 ms instead of 19\.67 ms: 44\.5 % shorter/,
      ),
    });
  });

  test('that is gone and changed nothing was not what slowed the loop', () => {
    const { outcome, sentence } = confirmIn({ allocateMs: 0, stepMs: 20 }, before);
    expect(outcome).toBe('gone');
    expect(sentence).toMatch(
      /But steps are not measurably shorter \(.*95 % interval: .*\)\): this finding did not slow the loop/,
    );
  });

  test('is still there at about its cost, or smaller, by its cost a step', () => {
    expect(confirmIn({ allocateMs: 9 }, before)).toMatchObject({
      outcome: 'still-there',
      sentence: expect.stringContaining('about as much or more'),
    });
    // As large a share of a step that is shorter.
    expect(confirmIn({ allocateMs: 4, stepMs: 14 }, before)).toMatchObject({
      outcome: 'still-there',
      sentence:
        'The second trace has it too, at 40.0 % of its cost: the change helped, and did not end it.',
    });
    expect(confirmIn({ allocateMs: 0.8 }, before).outcome).toBe('gone');
  });

  test('is another one where it names another culprit', () => {
    const other = { ...before, culprit: 'somebody' };
    // This finding names none: it is taken for the same.
    expect(confirmIn({ allocateMs: 10 }, other).outcome).toBe('still-there');
  });

  test('cannot be told where the second trace is too short for it, or lacks what it is made from', () => {
    const rare = { ...before, times: 4, windowNs: 100e9 };
    expect(confirmIn({ allocateMs: 0 }, rare)).toMatchObject({
      outcome: 'cannot-tell',
      sentence: expect.stringMatching(
        /^It is too short: 39\d\.\d ms .* shorter than 75\.00 s can miss the finding: record/,
      ),
    });
    // Found is found, however short.
    expect(confirmIn({ allocateMs: 10 }, rare).outcome).toBe('still-there');
    const switches = { ...before, id: 'cpu-quota' };
    expect(confirmIn({ allocateMs: 0 }, switches)).toMatchObject({
      outcome: 'cannot-tell',
      sentence: expect.stringContaining('Stalltrace’s agent with BPF'),
    });
    expect(confirmIn({ allocateMs: 0 }, { ...before, id: 'no-such' })).toMatchObject({
      outcome: 'cannot-tell',
      sentence: 'This version of Stalltrace knows no finding “no-such”.',
    });
    expect(confirmIn({ allocateMs: 0, steps: 0 }, before)).toMatchObject({
      outcome: 'cannot-tell',
      figures: [],
    });
  });

  test('says what else is not as it was', () => {
    const told = confirmIn(
      { allocateMs: 0, gpu: 'A100', cpuCount: 16, beginUnixNs: '10' },
      { ...before, run: { ...before.run, environment: { ...before.run.environment, ranks: 2 } } },
    );
    expect(told.differs).toEqual([
      'The second trace was recorded before the first one.',
      'GPUs: A100 instead of H100.',
      'Ranks: 1 instead of 2.',
      'CPUs: 16 instead of 8.',
    ]);
    // As Compare has it: of other GPUs a shorter step says nothing.
    expect(told.sentence).toContain(
      'they can’t be compared, because these differ: GPUs (H100 → A100),',
    );
  });
});

test('each finding says what would refute it, and which capture to repeat', () => {
  const { trace } = job({ allocateMs: 10 });
  const capabilities = [
    { name: 'switches', available: true, detail: '' },
    { name: 'page_faults', available: true, detail: '' },
    { name: 'syscalls', available: false, detail: '' },
  ];
  const { findings } = diagnose({ ...trace, capabilities }).diagnosis;
  const allocator = findings.find(({ id }) => id === 'allocator');
  expect(allocator?.experiment).toEqual({
    expects:
      'If this finding is right, its 9.750 ms a step are gone in the second trace, and a step takes less than 19.70 ms, 8.000 ms at best. If they are gone but a step takes as long as before, this finding did not slow it.',
    capture: 'stalltrace capture HOST --duration 60s --profile faults -- COMMAND…',
  });
});

test('of steps of two kinds it says both', () => {
  const facts = buildFacts();
  const kinds = [
    { count: 80, medianNs: 50e6 },
    { count: 20, medianNs: 300e6 },
  ] as const;
  const typical = { ...facts.split, durationNs: 50e6, p95Ns: 300e6, meanNs: 100e6, kinds };
  const { expects } = experimentFor({ ...facts, steps: { ...facts.steps, typical } }, 2e9, 2e9);
  expect(expects).toContain(
    'its 20.00 ms a step on average are gone in the second trace. Now a step takes 100.0 ms on average (80 of about 50.00 ms and 20 of about 300.0 ms); in the second trace it takes less, 80.00 ms at best.',
  );
});
