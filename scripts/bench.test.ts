import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { lineOf, tell } from '../test/bench/measure/figures.ts';
import { describeWith } from '../test/support/requirements.ts';

function bench(...names: string[]) {
  return spawnSync(process.execPath, ['scripts/bench.mjs', ...names], { encoding: 'utf8' });
}

test('a benchmark that is not there is refused with the names of all that are, before any runs', () => {
  const { status, stdout, stderr } = bench('flame', 'why-fast');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    /^No benchmark is called why-fast\. There are .*open-trace, .*why-slow\.\n$/,
  );
});

test('counts of events that are none are refused, and options that are not there', () => {
  for (const args of [['--events', '10k'], ['--events', '1000,'], ['--jason']]) {
    const { status, stdout, stderr } = bench(...args, 'open-trace');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('usage: npm run bench -- [--json] [--events N,…] [NAME …]');
  }
});

test('a figure is read beside its peer and its goal', () => {
  const open = { name: 'open-trace', size: 10_000_000, figure: 'open', unit: 'ms', value: 1234.5 };
  expect(lineOf(open)).toBe('10,000,000 events, open: 1,235 ms');
  const peer = { name: 'C', value: 1000 };
  expect(lineOf({ ...open, goal: 1200, peer, ratio: 1.2345 })).toBe(
    '10,000,000 events, open: 1,235 ms; C: 1,000 ms; ratio 1.23; goal 1,200 ms, missed',
  );
  expect(lineOf({ ...open, size: 'a file', value: 0.123456, goal: 1 })).toBe(
    'a file, open: 0.1235 ms; goal 1 ms, met',
  );
});

test('a goal that an empty page misses too is told apart from one that only we miss', () => {
  const pan = { name: 'timeline-scale', size: 1000, figure: 'pan', unit: 'ms', goal: 16.8 };
  const page = { name: 'an empty page', value: 16.7 };
  expect(lineOf({ ...pan, value: 33.3, floors: [page] })).toBe(
    '1,000 events, pan: 33.3 ms; an empty page: 16.7 ms; goal 16.8 ms, missed',
  );
  expect(lineOf({ ...pan, value: 33.3, floors: [{ ...page, value: 33.2 }] })).toMatch(
    /goal 16\.8 ms, missed, also by an empty page$/,
  );
  expect(lineOf({ ...pan, value: 16.7, floors: [{ ...page, value: 33.2 }] })).toMatch(/, met$/);
});

test('what was not measured is no figure', () => {
  const open = { size: 1000, figure: 'open', unit: 'ms' };
  const peer = { name: 'C', value: Number.NaN };
  expect(() => tell({ ...open, value: Number.NaN })).toThrow('open was not measured');
  expect(() => tell({ ...open, value: 1, peer })).toThrow('open was not measured');
  expect(() => tell({ ...open, value: 1, floors: [peer] })).toThrow('open was not measured');
});

describeWith(['sqliteShell'], 'npm run bench', () => {
  test('what a benchmark measures is one JSON document, each figure beside its peer', () => {
    const { status, stdout, stderr } = bench('--json', '--events', '1000', 'open-trace');
    expect(status).toBe(0);
    expect(stderr).toMatch(/1,000 events, open: [\d.,]+ ms; sqlite3 shell, C: [\d.,]+ ms; ratio /);
    const { figures, textOnly, failed } = JSON.parse(stdout);
    expect({ textOnly, failed }).toEqual({ textOnly: [], failed: [] });
    expect(figures.map(({ peer }: { peer: { name: string } }) => peer.name)).toEqual([
      'sqlite3 shell, C',
      'node:sqlite',
      "SQLite's file",
    ]);
    for (const { name, size, value, peer, ratio } of figures) {
      expect({ name, size }).toEqual({ name: 'open-trace', size: 1000 });
      expect(ratio).toBeCloseTo(value / peer.value, 1);
    }
  });
});
