import { expect, test } from 'vitest';
import type { Diagnosis, Finding, RankDiagnosis } from '../answers/diagnosis.ts';
import {
  copiesMatter,
  mainCause,
  secondCause,
  verdictAnswer,
  verdictKind,
} from './verdict-answer.ts';

const total = { input: 42, h2d: 27, compute: 2, collective: 0, idle: 0, other: 29 };
const rank = {
  rank: { label: 'rank 1' },
  steps: { window: [0, 100], total, count: 9 },
  starvation: { basis: 'unknown' },
} as unknown as RankDiagnosis;
const finding = { title: 'Found', costNs: 38, costShare: 0.38 } as Finding;
const answer = (verdict: Diagnosis['verdict'], more: Partial<Diagnosis> = {}) =>
  verdictAnswer({ verdict, ranks: [rank], findings: [], ...more });

test('is one sentence with the share of the verdict’s own phase', () => {
  expect(answer('input-bound')).toBe('42\u202f% of each step waits for data');
  expect(answer('h2d-bound')).toBe('27\u202f% of each step goes to copies to the GPU');
  expect(answer('input-straggler')).toBe('rank 1 keeps the other ranks waiting for its data');
});

test('speaks of steps only where there are some', () => {
  const steps = { ...rank.steps, count: 0 };
  expect(answer('h2d-bound', { ranks: [{ ...rank, steps }] })).toBe(
    '27\u202f% of the time goes to copies to the GPU',
  );
});

test('goes by the GPU’s own records where there are any, as the headline does', () => {
  const idleBy = { input: 30, copy: 5, collective: 0, request: 0 };
  const all = { idleBy, h2dNs: 3, computingNs: 50, idleNs: 47 };
  const recorded = { ...rank, starvation: { recorded: { all } } } as unknown as RankDiagnosis;
  const ofRecords = (verdict: Diagnosis['verdict']) => answer(verdict, { ranks: [recorded] });
  expect(ofRecords('input-bound')).toMatch(/^30/);
  expect(ofRecords('h2d-bound')).toMatch(/^8/);
  expect(ofRecords('host-bound')).toMatch(/^12/);
  expect(ofRecords('compute-bound')).toMatch(/50.% of the time/);
});

test('says the strongest evidence where nothing is proven, or the costliest finding', () => {
  const clue = {
    text: 'All CPUs were busy',
    detail: '',
    basis: 'exact',
    events: { shown: [], count: 0 },
  } as const;
  expect(answer('unknown', { clues: [clue] })).toBe('All CPUs were busy');
  expect(answer('unknown', { findings: [finding] })).toBe('Found: 38\u202f% of the time');
  expect(answer('unknown', { ranks: [] })).toBe('What the GPU waited for is not in this file');
});

test('more time without a CPU than the verdict is named after is the answer', () => {
  const neighbour = { ...finding, id: 'noisy-neighbour', rank: 0, costShare: 0.5 };
  const waits = '50\u202f% of each step waits for a CPU';
  expect(answer('input-bound', { findings: [neighbour] })).toBe(waits);
  expect(answer('h2d-bound', { findings: [neighbour] })).toBe(waits);
  expect(answer('input-bound', { findings: [{ ...neighbour, costShare: 0.4 }] })).toMatch(/^42/);
  expect(answer('input-bound', { findings: [{ ...neighbour, id: 'disk-bound' }] })).toMatch(/^42/);
  expect(answer('input-bound', { findings: [{ ...neighbour, rank: 1 }] })).toMatch(/^42/);
  expect(answer('compute-bound', { findings: [neighbour] })).toMatch(/^2/);
});

test('a loop that mostly waits for others is not what the GPU waits for', () => {
  const wait = { ...finding, id: 'subprocess-wait', rank: 0, costShare: 0.2 };
  expect(answer('host-bound', { findings: [wait] })).toBe(
    '20\u202f% of each step waits for a program',
  );
  const small = { ...wait, costShare: 0.1 };
  expect(answer('host-bound', { findings: [small] })).toContain('waits for the training loop');
  expect(answer('host-bound', { findings: [{ ...wait, rank: 1 }] })).toContain(
    'for the training loop',
  );
  expect(answer('input-bound', { findings: [wait] })).toContain('waits for data');
});

test('a job that is stopped does no work of its own', () => {
  const stopped = { ...finding, id: 'stopped', rank: 0 };
  expect(answer('host-bound', { findings: [stopped] })).toBe(
    '38\u202f% of each step the job is stopped',
  );
  expect(answer('host-bound', { findings: [finding, stopped] })).toContain(
    'waits for the training loop',
  );
  expect(answer('host-bound', { findings: [{ ...stopped, rank: 1 }] })).toContain(
    'waits for the training loop',
  );
});

test('a finding that is a trifle is no main cause', () => {
  expect(mainCause({ findings: [finding] })).toBe(finding);
  expect(mainCause({ findings: [{ ...finding, costShare: 0.01 }] })).toBeUndefined();
});

test('a second cause is named where it costs half as much or more, of the same rank', () => {
  const first = { ...finding, id: 'slow-getitem', rank: 0, costShare: 0.165 };
  const second = { ...first, id: 'evaluation', costShare: 0.155 };
  const beside = (...findings: Finding[]) => secondCause({ findings });
  expect(beside(first, second)).toBe(second);
  expect(beside(first, { ...second, costShare: 0.08 })).toBeUndefined();
  expect(beside({ ...first, costShare: 0.08 }, { ...second, costShare: 0.045 })).toBeUndefined();
  expect(beside(first, { ...second, rank: 1 })).toBeUndefined();
  expect(beside(first)).toBeUndefined();
  expect(beside({ ...first, costShare: 0.01 }, second)).toBeUndefined();
});

test('the badge says what the answer says', () => {
  const neighbour = { ...finding, id: 'noisy-neighbour', rank: 0, costShare: 0.5 };
  const kind = (found: Finding) =>
    verdictKind({ verdict: 'input-bound', ranks: [rank], findings: [found] });
  expect(kind(neighbour)).toBe('cpu-wait');
  expect(kind({ ...neighbour, costShare: 0.4 })).toBe('input-bound');
});

test('a copy is a place to begin at only where copies are the cause', () => {
  const of = (verdict: Diagnosis['verdict'], ...ids: string[]) =>
    copiesMatter({ verdict, findings: ids.map((id) => ({ ...finding, id })) });
  expect(of('input-bound', 'pin-memory')).toBe(true);
  expect(of('h2d-bound', 'slow-getitem')).toBe(false);
  expect(of('h2d-bound')).toBe(true);
  expect(of('input-bound')).toBe(false);
});

test('what is neither data nor copies is a wait for other ranks where that costs most', () => {
  const other = { ...finding, id: 'collective', rank: 0, costShare: 0.241 };
  const balanced = (first: Finding) => answer('balanced', { findings: [first] });
  expect(balanced(other)).toBe('24\u202f% of each step waits for other ranks');
  expect(balanced({ ...other, rank: 1 })).toBe('Neither data nor copies hold this job up');
  expect(balanced({ ...other, id: 'host-work' })).toBe('Neither data nor copies hold this job up');
});
