import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { benchmarkScript } from '../../src-main/benchmark/benchmark-script.ts';
import { bestConfiguration, parseBenchmarkResult } from '../../src-main/shared/benchmark-result.ts';
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

def make():
    return Slow()

def with_arguments():
    return {"dataset": Slow(), "batch_size": 4, "prefetch_factor": 3}

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

  test('finds that workers help where samples take long, and says so in a file', () => {
    const options = ['--batch-size', '8', '--batches', '6', '--repeats', '2', '--workers', '0,2'];
    const { stdout, stderr, status } = run('slow:make', ...options);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const parsed = parseBenchmarkResult(
      readFileSync(join(folder, 'stalltrace-benchmark.json'), 'utf8'),
    );
    if (!parsed.ok) throw new Error(parsed.error.detail);
    const { real, synthetic, batchSize, failed, leftOut } = parsed.value;
    expect({ batchSize, failed, leftOut }).toEqual({ batchSize: 8, failed: [], leftOut: 0 });
    const alone = real.find(({ workers }) => workers === 0);
    // A sample takes 10 ms and more: no loader without workers passes 100 a second.
    expect(alone?.maxPerSecond).toBeLessThanOrEqual(100);
    expect(synthetic.minPerSecond).toBeGreaterThan(alone?.maxPerSecond ?? Infinity);
    expect(bestConfiguration(parsed.value)?.workers).toBe(2);
    expect(stdout).toContain('best: num_workers=2');
    if (parsed.value.device === undefined) expect(stdout).toContain('no CUDA');
  });

  test('takes arguments of DataLoader, and drops what has no meaning without workers', () => {
    const options = ['--batches', '2', '--repeats', '1', '--workers', '0', '--out', 'own.json'];
    expect(run('slow:with_arguments', ...options)).toMatchObject({ stderr: '', status: 0 });
    const parsed = parseBenchmarkResult(readFileSync(join(folder, 'own.json'), 'utf8'));
    expect(parsed).toMatchObject({ ok: true, value: { batchSize: 4, failed: [] } });
  });

  test('ends at its time limit, and says what was left out', () => {
    const options = ['--time-limit', '0.5', '--workers', '0,1', '--out', 'short.json'];
    const { stdout } = run('slow:make', ...options);
    expect(stdout).toMatch(/settings were left out: the time was up/);
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
