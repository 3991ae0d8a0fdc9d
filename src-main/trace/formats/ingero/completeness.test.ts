import { describe, expect, test } from 'vitest';
import { BEGIN_UNIX_NS, type FixtureContent } from '../../../../test/fixtures/ingero/make.ts';
import { ingeroTrace } from '../../../../test/fixtures/ingero/open.ts';
import type { Tables } from '../../../shared/model/trace.ts';

const MS = 1_000_000;
const switchOf = (tid: number, atMs: number) => ({
  pid: tid,
  tid,
  source: 3,
  op: 1,
  timestampNs: atMs * MS,
  durationNs: 1000,
  arg1: 999,
});
const manySwitchesOf = (tid: number, count: number) =>
  Array.from({ length: count }, (_, at) => switchOf(tid, 1 + at));
const sum = (op: number, pid: number, count: number | string, source = 3, minute = 0) =>
  `INSERT INTO event_aggregates (bucket, source, op, pid, count, stored, sum_dur, min_dur, max_dur, sum_arg0)
   VALUES (${BEGIN_UNIX_NS + BigInt(minute) * 60_000_000_000n}, ${source}, ${op}, ${pid}, ${count}, ${count}, 0, 0, 0, 0);`;

type Events = NonNullable<FixtureContent['events']>;

function tablesOf(events: Events, sql: string): Tables {
  return ingeroTrace({ events, sql }, '0.16.0').tables;
}

describe('switches of an Ingero file are never called exact', () => {
  test('where every thread and bucket holds what was counted, which is said', () => {
    const { provenance } = tablesOf(manySwitchesOf(200, 3), sum(1, 200, 3)).off_cpu;
    expect(provenance.kind).toBe('partial');
    expect(provenance.note).toContain(
      'All 3 switches Ingero counted are stored, in every thread and time bucket; it does not record whether it lost any.',
    );
  });

  test('where one thread has too many, another too few', () => {
    const events = [...manySwitchesOf(200, 2), ...manySwitchesOf(300, 44)];
    const { provenance } = tablesOf(events, sum(1, 200, 45) + sum(1, 300, 1)).off_cpu;
    expect(provenance.kind).toBe('partial');
    expect(provenance.note).toContain('46 switches are stored of 89 that happened');
    expect(provenance.note).toContain('TID 300 44 of 44, TID 200 2 of 45');
  });

  test('where nothing was counted: then no thread has a whole', () => {
    const { note } = tablesOf(manySwitchesOf(200, 2), '').off_cpu.provenance;
    expect(note).toBe(
      '2 switches stored; the file does not say how many were left out. By thread: TID 200 2.',
    );
    const some = tablesOf([...manySwitchesOf(200, 2), ...manySwitchesOf(300, 4)], sum(1, 200, 5));
    expect(some.off_cpu.provenance.note).toContain('TID 300 4, TID 200 2 of 5.');
  });

  test('where only another minute has as many as were counted', () => {
    const { provenance } = tablesOf(manySwitchesOf(200, 2), sum(1, 200, 2, 3, 1)).off_cpu;
    expect(provenance.note).toContain('the numbers differ for single threads or time buckets');
  });

  test('where others were written as summaries', () => {
    const summary = { pid: 200, tid: 300, source: 3, op: 21, timestampNs: 25 * MS, arg0: 50 };
    const events = [...manySwitchesOf(200, 2), summary];
    const { provenance } = tablesOf(events, sum(1, 200, 2)).off_cpu;
    expect(provenance.note).toContain('50 switches more are in its summaries.');
  });

  test('where sums are damaged', () => {
    const sums = sum(1, 200, 2) + sum(1, 300, "'many'");
    const { provenance } = tablesOf(manySwitchesOf(200, 2), sums).off_cpu;
    expect(provenance.note).toContain('some of its sums are damaged.');
  });
});

describe('CUDA calls of an Ingero file', () => {
  const call = (pid: number) => ({ pid, source: 1, op: 5, timestampNs: 5 * MS, durationNs: 9 });

  test('are exact where every process and bucket holds what was counted', () => {
    const { provenance } = tablesOf(
      [call(1), call(2)],
      sum(5, 1, 1, 1) + sum(5, 2, 1, 1),
    ).cuda_call;
    expect(provenance).toEqual({
      kind: 'exact',
      note: 'All 2 CUDA calls Ingero counted are stored.',
    });
  });

  test.each([
    ['exact', 'The only CUDA call Ingero counted is stored.', [call(1)], 1],
    ['partial', '1 CUDA call is stored of 9 that happened', [call(1)], 9],
    ['sums only', 'Ingero kept 1 CUDA call as sums', [switchOf(7, 1)], 1],
  ])('are told as one where there is one: %s', (_, note, events, counted) => {
    const sums = sum(5, 1, counted, 1).replace(`${counted}, ${counted}`, `${counted}, 1`);
    expect(tablesOf(events, sums).cuda_call.provenance.note).toContain(note);
  });

  test('are partial where only the totals are equal', () => {
    const { provenance } = tablesOf(
      [call(1), call(1)],
      sum(5, 1, 1, 1) + sum(5, 2, 1, 1),
    ).cuda_call;
    expect(provenance.kind).toBe('partial');
  });
});

test('events that have no table are told as those that have one', () => {
  const resent = { pid: 1, source: 6, op: 1, timestampNs: 5 * MS };
  const kindOf = (sums: string, events: Events = [resent]) =>
    tablesOf(events, sums).range.provenance;
  expect(kindOf(sum(1, 1, 1, 6)).kind).toBe('exact');
  expect(kindOf(sum(1, 1, 500, 6).replace('500, 500', '500, 1'))).toEqual({
    kind: 'partial',
    note: 'Labels given from outside, and events this model has no table for. 1 event is stored of 500 that happened: Ingero stores a selection and prunes it.',
  });
  expect(kindOf(sum(1, 1, 500, 6), [switchOf(7, 1)]).kind).toBe('aggregated');
});

test('what happened is count − stored + rows, process by process', () => {
  const call = { pid: 1, source: 1, op: 5, timestampNs: 5 * MS, durationNs: 9 };
  const trace = ingeroTrace(
    {
      events: [call, { ...call, timestampNs: 6 * MS }, { ...call, pid: 2 }],
      sums: [
        { pid: 1, source: 1, op: 5, count: 40, stored: 1 },
        { pid: 2, source: 1, op: 5, count: 10, stored: 3 },
      ],
    },
    '0.16.0',
  );
  // Of pid 2 two stored calls were pruned: they happened all the same.
  const note =
    '3 CUDA calls are stored of 51 that happened: Ingero stores a selection and prunes it.';
  expect(trace.tables.cuda_call.provenance).toEqual({ kind: 'partial', note });
  expect(trace.notices.map(({ text }) => text).join()).toContain('stored 3 of 51 CUDA calls');
});
