import { expect, test } from 'vitest';
import type { Investigation } from '../../shared/library/investigation.ts';
import { libraryText } from './library-text.ts';

const entry: Investigation = {
  id: 1,
  name: 'Run 7',
  path: '/traces/run.db',
  format: 'Ingero',
  sizeBytes: 2048,
  addedAt: '2026-01-02T03:04:05.000Z',
  sample: false,
  synthetic: false,
  storage: 'referenced',
  state: 'ok',
  tags: [],
  notes: 0,
};

test('an entry with all there is to say of it', () => {
  const full = {
    ...entry,
    recordedAt: '2026-01-01T00:00:00.000Z',
    machine: 'node7',
    gpu: 'RTX 4090',
    state: 'missing',
    tags: ['one', 'two'],
    notes: 1,
    verdict: { kind: 'input-bound', text: 'too few CPUs' },
    match: { field: 'notes', before: 'the ', hit: 'pin', after: ' thread' },
  } as const;
  expect(libraryText([entry, full])).toBe(
    [
      'Run 7',
      '  2.000 KiB',
      '  /traces/run.db',
      '',
      'Run 7',
      '  MISSING · 2026-01-01 · node7 · RTX 4090 · 2.000 KiB · 1 note · #one · #two',
      '  /traces/run.db',
      '  INPUT-BOUND: too few CPUs',
      '  found in notes: the pin thread',
    ].join('\n'),
  );
});

test('what the analysis found is said where the user has no verdict', () => {
  const found = { kind: 'h2d-bound', text: 'unpinned copies' } as const;
  expect(libraryText([{ ...entry, found }])).toMatch(/^ {2}H2D-BOUND: unpinned copies$/m);
  const verdict = { kind: 'balanced', text: 'fixed' } as const;
  const own = libraryText([{ ...entry, found, verdict }]);
  expect(own).toMatch(/^ {2}BALANCED: fixed$/m);
  expect(own).not.toContain('unpinned');
});

test('says what of it was never real', () => {
  const simulated = libraryText([{ ...entry, simulated: 'There was no GPU.' }]);
  expect(simulated).toMatch(/^ {2}SIMULATED: There was no GPU\.$/m);
  expect(libraryText([{ ...entry, synthetic: true }])).toMatch(/^ {2}SYNTHETIC: made by a script/m);
  expect(libraryText([entry])).not.toMatch(/SIMULATED|SYNTHETIC/);
});

test('a name cannot write elsewhere on the terminal', () => {
  const text = libraryText([{ ...entry, name: '\u001b[2Jgone\nSecond line' }]);
  expect(text.split('\n')[0]).toBe('␛[2Jgone␊Second line');
});

test('an empty library and an empty search say what to do', () => {
  expect(libraryText([])).toContain('stalltrace import FILE');
  expect(libraryText([], 'nothing')).toContain('nothing');
});
