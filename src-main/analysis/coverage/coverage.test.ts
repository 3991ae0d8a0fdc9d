import { describe, expect, test } from 'vitest';
import type { Provenance } from '../../shared/model/trace.ts';
import { buildTrace, type Row, type TracePlan } from '../testing/build-trace.ts';
import { switchCoverage } from './coverage.ts';

const names = [
  ['HOST', 'sched_switch'],
  ['', 'HOST'],
  ['HOST', 'sched_switch_summary'],
] as const;
const partial: Provenance = { kind: 'partial', note: '' };

/** Thread 7 with switches from 1 ms to 9 ms. */
function switchesOf7(plan: TracePlan = {}) {
  return buildTrace({
    names,
    threads: [{ tid: 7 }, { tid: 8 }],
    ...plan,
    rows: {
      off_cpu: [
        { thread: 0, startNs: 1e6, durationNs: 1e5 },
        { thread: 0, startNs: 8e6, durationNs: 1e6 },
      ],
      ...plan.rows,
    },
  });
}

describe('switchCoverage', () => {
  test('is complete between the first and last switch of an exact table', () => {
    expect(switchCoverage(switchesOf7(), 0, 1e6, 9e6)).toEqual({
      complete: true,
      recorded: true,
      note: 'Every switch of thread 7 during the call is in the trace.',
    });
  });

  test.each([
    [0, 9e5, false, '+0.001 000 000 s, 100.0 µs after this call ended.'],
    [0, 2e6, true, 'begins at +0.001 000 000 s, during this call.'],
    [8.5e6, 9.5e6, true, 'ended at +0.009 000 000 s, during this call.'],
    [9.5e6, 9.9e6, false, 'ended at +0.009 000 000 s, 500.0 µs before this call began.'],
  ])('is not complete over [%d, %d)', (startNs, endNs, recorded, words) => {
    const { note, ...coverage } = switchCoverage(switchesOf7(), 0, startNs, endNs);
    expect(coverage).toEqual({ complete: false, recorded });
    expect(note.replaceAll('\u202f', ' ')).toContain(words);
  });

  test('says how many of the counted switches were kept', () => {
    const rows = {
      aggregate: [
        { thread: 0, op: 0, source: 1, startNs: 0, durationNs: 10e6, count: 887 },
        { thread: 1, op: 0, source: 1, startNs: 0, durationNs: 10e6, count: 5 },
      ],
    };
    const trace = switchesOf7({ rows, provenance: { off_cpu: partial } });
    const { complete, note } = switchCoverage(trace, 0, 2e6, 3e6);
    expect(complete).toBe(false);
    expect(note).toContain('Not every switch of thread 7 was kept.');
    expect(note).toContain('counted 887 switches of it; 2 of them are in this file.');
  });

  test('does not name as a reason that all which were counted are stored', () => {
    const rows = {
      aggregate: [{ thread: 0, op: 0, source: 1, startNs: 0, durationNs: 10e6, count: 2 }],
    };
    const trace = switchesOf7({ rows, provenance: { off_cpu: partial } });
    const { note } = switchCoverage(trace, 0, 9.5e6, 9.9e6);
    expect(note).toContain('All that the recorder counted of it are in this file, and none tells');
    expect(note).not.toContain('2 of them are in this file');
  });

  test('takes a count below what is stored as no proof', () => {
    const rows = {
      aggregate: [{ thread: 0, op: 0, source: 1, startNs: 0, durationNs: 10e6, count: 1 }],
    };
    const trace = switchesOf7({ rows, provenance: { off_cpu: partial } });
    expect(switchCoverage(trace, 0, 2e6, 3e6).note).toContain('so its count proves nothing');
  });

  describe('in a table that is partial', () => {
    /** Counts per millisecond bucket of 2 ms; 1 switch ends in [0, 2) ms, 1 in [8, 10) ms. */
    const bucket = (startMs: number, count: number, thread = 0) => ({
      thread,
      op: 0,
      source: 1,
      startNs: startMs * 1e6,
      durationNs: 2e6,
      count,
    });
    const covered = (aggregate: readonly Row<'aggregate'>[], plan: TracePlan = {}) =>
      switchCoverage(
        switchesOf7({ ...plan, rows: { aggregate }, provenance: { off_cpu: partial } }),
        0,
        1.5e6,
        3e6,
      );
    const buckets = [bucket(0, 1), bucket(2, 0), bucket(4, 0), bucket(6, 0), bucket(8, 1)];

    test('is complete for a thread of which every bucket holds all that was counted', () => {
      expect(covered(buckets)).toEqual({
        complete: true,
        recorded: true,
        note: 'Every switch of thread 7 that the recorder counted during the call is in the trace.',
      });
    });

    test.each([
      ['the bucket of the call lacks one', [bucket(0, 2), ...buckets.slice(1)]],
      [
        'a bucket lacks what another has too much',
        [bucket(0, 0), bucket(2, 1), ...buckets.slice(2)],
      ],
      ['one missing may have been under way', [...buckets.slice(0, 4), bucket(8, 2)]],
      ['a bucket of the range is missing', buckets.filter((_, at) => at !== 1)],
      ['the first bucket is missing', buckets.slice(1)],
      ['only another thread was counted', buckets.map((row) => ({ ...row, thread: 1 }))],
      ['there are summaries of the thread', [...buckets, { ...bucket(4, 50), op: 2 }]],
    ])('is not complete where %s', (_, aggregate) => {
      expect(covered(aggregate).complete).toBe(false);
    });

    test('says that summaries were kept', () => {
      const { note } = covered([...buckets, { ...bucket(4, 50), op: 2 }]);
      expect(note).toContain('The recorder kept 50 switches of thread 7 as summaries only.');
    });
  });

  test('is not complete across a gap', () => {
    const trace = switchesOf7({ rows: { gap: [{ startNs: 4e6, durationNs: 1e6, lost: 12 }] } });
    expect(switchCoverage(trace, 0, 1e6, 1.1e6).complete).toBe(true);
    // A wait that began in here may have ended, and got lost, in the gap.
    expect(switchCoverage(trace, 0, 2e6, 3e6).complete).toBe(false);
    expect(switchCoverage(trace, 0, 5e6, 6e6).complete).toBe(true);
    const { complete, note } = switchCoverage(trace, 0, 2e6, 4.5e6);
    expect(complete).toBe(false);
    expect(note).toContain('The recorder lost 12 events between');
  });

  test('is complete across a gap that lost events of another table', () => {
    const gap = { startNs: 4e6, durationNs: 1e6, lost: 12 };
    const lossOf = (table: string) =>
      switchesOf7({ names: [['LOST', table]], rows: { gap: [{ ...gap, op: 0 }] } });
    expect(switchCoverage(lossOf('cpu_sample'), 0, 2e6, 4.5e6).complete).toBe(true);
    expect(switchCoverage(lossOf('off_cpu'), 0, 2e6, 4.5e6).complete).toBe(false);
    expect(switchCoverage(lossOf('ring buffer'), 0, 2e6, 4.5e6).complete).toBe(false);
  });

  test('is not complete for threads without switches, unknown threads and traces without switches', () => {
    expect(switchCoverage(switchesOf7(), 1, 2e6, 3e6).note).toBe(
      'No switch of thread 8 is stored.',
    );
    expect(switchCoverage(switchesOf7(), -1, 2e6, 3e6).complete).toBe(false);
    expect(switchCoverage(buildTrace({ threads: [{ tid: 7 }] }), 0, 2e6, 3e6).note).toBe(
      'This trace holds no context switches.',
    );
  });
});
