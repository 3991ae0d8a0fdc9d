import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Investigation } from '../../src-main/shared/library/investigation.ts';
import { fakeInvestigation } from '../state/testing/fake-api.ts';
import {
  countTags,
  filterEntries,
  libraryColumns,
  noFilter,
  runName,
  sortEntries,
} from './library-list.ts';

const entries = fc.array(
  fc.record({
    name: fc.string(),
    lengthNs: fc.option(fc.nat(), { nil: undefined }),
    gpu: fc.option(fc.string(), { nil: undefined }),
    sizeBytes: fc.nat(),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b', 'c')),
    state: fc.constantFrom('ok', 'missing', 'damaged'),
    addedAt: fc.constantFrom('2026-01-01', '2026-01-02'),
  }),
);
const made = (rows: readonly object[]) =>
  rows.map((row, index) =>
    fakeInvestigation({ ...(row as Partial<Investigation>), id: index + 1 }),
  );

test('sorting keeps every entry, and the other direction is the reverse of the known ones', () => {
  fc.assert(
    fc.property(entries, fc.constantFrom(...libraryColumns), (rows, column) => {
      const list = made(rows);
      const up = sortEntries(list, { column, direction: 'ascending' });
      const down = sortEntries(list, { column, direction: 'descending' });
      const ids = (each: readonly Investigation[]) =>
        each.map(({ id }) => id).sort((a, b) => a - b);
      expect(ids(up)).toEqual(ids(list));
      expect(ids(down)).toEqual(ids(list));
    }),
  );
});

test('what has no value comes last either way', () => {
  const list = made([{ lengthNs: undefined }, { lengthNs: 5 }, { lengthNs: 7 }]);
  const lengths = (direction: 'ascending' | 'descending') =>
    sortEntries(list, { column: 'length', direction }).map(({ lengthNs }) => lengthNs);
  expect(lengths('ascending')).toEqual([5, 7, undefined]);
  expect(lengths('descending')).toEqual([7, 5, undefined]);
});

test('names sort as people count', () => {
  const list = made([{ name: 'run 10' }, { name: 'Run 9' }, { name: 'run 1' }]);
  const sorted = sortEntries(list, { column: 'name', direction: 'ascending' });
  expect(sorted.map(({ name }) => name)).toEqual(['run 1', 'Run 9', 'run 10']);
});

test('the user’s verdict stands before the analysis’s, which stands where there is no other', () => {
  const found = { kind: 'input-bound', text: '' } as const;
  const verdict = { kind: 'balanced', text: '' } as const;
  const list = made([{ name: 'none' }, { name: 'own', found, verdict }, { name: 'found', found }]);
  const named = (entries: readonly Investigation[]) => entries.map(({ name }) => name);
  expect(named(sortEntries(list, { column: 'verdict', direction: 'ascending' }))).toEqual([
    'found',
    'own',
    'none',
  ]);
  const of = (kind: string) => named(filterEntries(list, { ...noFilter, verdict: kind }));
  expect([of('input-bound'), of('balanced'), of('none')]).toEqual([['found'], ['own'], ['none']]);
});

test('a filter keeps exactly what it says', () => {
  fc.assert(
    fc.property(entries, fc.subarray(['a', 'b', 'c']), (rows, tags) => {
      const list = made(rows);
      const kept = new Set(filterEntries(list, { ...noFilter, tags, state: 'attention' }));
      for (const entry of list)
        expect(kept.has(entry)).toBe(
          entry.state !== 'ok' && tags.every((tag) => entry.tags.includes(tag)),
        );
    }),
  );
});

test('a run is called by its name, and by when it was recorded where that is known', () => {
  expect(runName({ name: 'run.db' })).toBe('run.db');
  expect(runName({ name: 'run.db', recordedAt: '2026-11-22T01:32:22Z' })).toBe(
    'run.db · 2026-11-22 01:32:22',
  );
  expect(runName({ name: 'run.db', recordedAt: '2026-11-22T01:32:22Z' }, 'first')).toBe(
    'run.db in first · 2026-11-22 01:32:22',
  );
  const capture = { name: 'gpu-box: train.py, 2026-11-22 01:32' };
  expect(runName({ ...capture, recordedAt: '2026-11-22T01:32:40Z' })).toBe(
    'gpu-box: train.py · 2026-11-22 01:32:40',
  );
});

test('tags are counted, the most used first', () => {
  const list = made([{ tags: ['b', 'a'] }, { tags: ['b'] }]);
  expect(countTags(list)).toEqual([
    { tag: 'b', count: 2 },
    { tag: 'a', count: 1 },
  ]);
});
