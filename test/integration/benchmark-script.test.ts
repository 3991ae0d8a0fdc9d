import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { benchmarkScript } from '../../src-main/benchmark/benchmark-script.ts';
import {
  bestConfiguration,
  currentConfiguration,
  parseBenchmarkResult,
} from '../../src-main/shared/answers/benchmark-result.ts';
import { describeWith } from '../support/requirements.ts';

const DATASET = `
import time
import torch
from torch.utils.data import Dataset

class Slow(Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.full((16,), float(index)), index

class Late(Slow):
    "An hour passes before the second batch."
    def __getitem__(self, index):
        if index == 4:
            clock = time.monotonic
            time.monotonic = lambda: clock() + 3600
        return super().__getitem__(index)

def late():
    return Late()

def make():
    return Slow()

def with_arguments():
    return {"dataset": Slow(), "batch_size": 4, "prefetch_factor": 3}

def as_now():
    return {"dataset": Slow(), "num_workers": 1, "pin_memory": True, "persistent_workers": True}

def without_dataset():
    return {"batch_size": 4}
`;

describeWith(['torch'], 'the benchmark script', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'benchmark-'));
    writeFileSync(join(folder, 'slow.py'), DATASET);
    writeFileSync(join(folder, 'benchmark.py'), benchmarkScript({ usableCpus: 2, workers: 2 }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function run(...args: string[]) {
    return spawnSync('/usr/bin/python3', ['benchmark.py', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  }

  /** What the script wrote, as the app reads it. */
  function written(name: string) {
    const parsed = parseBenchmarkResult(readFileSync(join(folder, name), 'utf8'), name);
    if (!parsed.ok) throw new Error(parsed.error.message);
    return parsed.value;
  }

  test('finds that workers help where samples take long, and says so in a file', () => {
    const options = ['--batch-size', '8', '--batches', '6', '--repeats', '2', '--workers', '0,2'];
    const { stdout, stderr, status } = run('slow:make', ...options);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { real, synthetic, batchSize, failed, leftOut, device } = written(
      'stalltrace-benchmark.json',
    );
    expect({ batchSize, failed, leftOut }).toEqual({ batchSize: 8, failed: [], leftOut: 0 });
    const alone = real.find(({ workers }) => workers === 0);
    // A sample takes 10 ms and more: no loader without workers passes 100 a second.
    expect(alone?.maxPerSecond).toBeLessThanOrEqual(100);
    expect(synthetic.minPerSecond).toBeGreaterThan(alone?.maxPerSecond ?? Infinity);
    expect(bestConfiguration({ real })?.workers).toBe(2);
    expect(stdout).toContain('best: num_workers=2');
    if (device === undefined) expect(stdout).toContain('no CUDA');
  });

  test('takes arguments of DataLoader, and drops what has no meaning without workers', () => {
    const options = ['--batches', '2', '--repeats', '1', '--workers', '0', '--out', 'own.json'];
    expect(run('slow:with_arguments', ...options)).toMatchObject({ stderr: '', status: 0 });
    expect(written('own.json')).toMatchObject({ batchSize: 4, failed: [] });
  });

  test('the current setting is what the function says, else the recorded workers', () => {
    const options = ['--batch-size', '8', '--batches', '2', '--repeats', '1'];
    const resultOf = (...args: string[]) => {
      const { stdout, stderr } = run(...args, ...options, '--out', 'now.json');
      expect(stderr).toBe('');
      return { stdout, result: written('now.json') };
    };
    const recorded = resultOf('slow:make');
    expect(recorded.result.current).toEqual({ workers: 2 });
    expect(currentConfiguration(recorded.result)?.workers).toBe(2);
    expect(recorded.stdout).toContain('as it is now, num_workers=2');
    const said = resultOf('slow:as_now', '--workers', '0,1');
    expect(said.result.current).toEqual({ workers: 1, pinMemory: true, persistentWorkers: true });
    // Pinned memory is not tried where there is no CUDA: what was not measured is not compared.
    const isMeasured = said.result.device !== undefined;
    expect(currentConfiguration(said.result) !== undefined).toBe(isMeasured);
    expect(said.stdout.includes('as it is now')).toBe(isMeasured);
  });

  test('ends at its time limit, and says what was left out', () => {
    const options = ['--time-limit', '60', '--workers', '0,1', '--out', 'short.json'];
    const { stdout } = run('slow:late', '--batch-size', '4', ...options);
    expect(stdout).toMatch(/^synthetic +[\d.]+/m);
    expect(stdout).toMatch(/settings were left out: the time was up/);
    expect(written('short.json').real).toEqual([]);
  });

  test.each([
    ['slow', 'is not MODULE:FUNCTION'],
    ['nowhere:make', 'cannot import nowhere'],
    ['slow:nothing', 'slow has no function nothing'],
    ['slow:without_dataset', 'the dict has no "dataset"'],
    ['slow:make --workers few', '--workers takes numbers'],
  ])('%s: says what is wrong', (args, message) => {
    const { stderr, status } = run(...args.split(' '));
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('Traceback');
    expect(status).not.toBe(0);
  });
});
