import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeIngeroDatabase } from '../fixtures/ingero/make.ts';
import { runCli } from '../support/run-cli.ts';
import { simulatedTrace as sample } from '../support/simulated-trace.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-benchmark-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]) =>
  runCli(args, folder, { STALLTRACE_DATA_DIR: join(folder, 'data') });
const here = (name: string) => join(folder, name);

test('writes the script to a file, whole, and says where', () => {
  const { code, stdout, stderr } = run('benchmark', sample, '--out', 'script.py');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/\/script\.py \(.+KiB\)\n$/);
  const script = readFileSync(here('script.py'), 'utf8');
  expect(script).toMatch(/^#!\/usr\/bin\/env python3\n/);
  expect(script).toMatch(/^WORKERS = \[\d+(,\d+)*\]/m);
  expect(existsSync(here('data/library.db'))).toBe(false);
});

test('writes nothing but the script to stdout', () => {
  const { code, stdout, stderr } = run('benchmark', sample, '--out', '-');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^#!\/usr\/bin\/env python3\n[\s\S]*\n {4}main\(\)\n$/);
});

test('writes none for a job that serves requests', () => {
  const launch = (atMs: number) => ({
    ...{ pid: 100, source: 1, op: 3, durationNs: 5_000, timestampNs: atMs * 1e6 },
  });
  makeIngeroDatabase(here('server.db'), '0.17.0', {
    events: [1, 20, 8_000, 9_000].map(launch),
    processNames: { 100: 'VLLM::EngineCor' },
  });
  const { code, stdout, stderr } = run('benchmark', 'server.db', '--out', 'script.py');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('it has no DataLoader to be measured');
  expect(existsSync(here('script.py'))).toBe(false);
});

test('keeps a file that exists, unless it is told to replace it', () => {
  writeFileSync(here('mine.py'), 'mine');
  const { code, stderr } = run('benchmark', sample, '--out', 'mine.py');
  expect(code).toBe(1);
  expect(stderr).toMatch(/mine\.py exists already: choose another name, or add --force\.\n$/);
  expect(readFileSync(here('mine.py'), 'utf8')).toBe('mine');
  expect(run('benchmark', sample, '--out', 'mine.py', '--force').code).toBe(0);
  expect(readFileSync(here('mine.py'), 'utf8')).toContain('WORKERS = ');
});

test('never replaces the trace, and leaves nothing where the trace cannot be read', () => {
  writeFileSync(here('no-trace.db'), 'hello '.repeat(300));
  const itself = run('benchmark', 'no-trace.db', '--out', 'no-trace.db', '--force');
  expect(itself).toMatchObject({ code: 1, stdout: '' });
  expect(run('benchmark', 'no-trace.db', '--out', 'script.py').code).toBe(1);
  expect(readdirSync(folder).filter((name) => name.endsWith('.py'))).toEqual([]);
});

test.each([
  [[], 'Name the trace file'],
  [['a.db'], '--out SCRIPT.py'],
  [['a.db', '--out', ''], '--out SCRIPT.py'],
  [['a.db', 'b.db', '--out', '-'], 'Name one trace file only'],
  [['a.db', '--wrong'], 'There is no option --wrong'],
])('%j is wrong usage', (args, sentence) => {
  const { code, stdout, stderr } = run('benchmark', ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(sentence);
  expect(stderr).toMatch(/see stalltrace benchmark --help\.\n$/);
});

test('explains itself', () => {
  expect(run('benchmark', '--help').stdout).toMatch(/^Usage: stalltrace benchmark FILE/);
  expect(run('--help').stdout).toContain('benchmark FILE --out SCRIPT.py');
});
