import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openFile } from '../../src-main/trace/open-file.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';
import { type ToldOperation, toldByInfo } from '../support/told-by-info.ts';

/** As EXPECTED.json has it: worked out from the files by another program. Times in µs. */
interface Expected {
  readonly events: number;
  readonly ph: Readonly<Record<string, number>>;
  readonly cat_X: Readonly<Record<string, number>>;
  readonly gpu_busy_us: Readonly<Record<string, number>>;
  readonly memcpy_n_bytes_us: Readonly<Record<string, readonly [number, number, number]>>;
  readonly dataloader_n_us: readonly [number, number];
  readonly steps_n_us: readonly [number, number];
  readonly api_top_n_us: readonly (readonly [string, number, number])[];
  readonly distributedInfo: { readonly rank?: number; readonly world_size?: number };
  readonly baseTimeNanoseconds: number | null;
  readonly first_ts_us: number;
  readonly gpu: readonly string[];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function imported(path: string): Promise<Trace> {
  const options = { scratchDir: join(folder, 'scratch'), importers, progress() {} };
  const opened = await openFile(path, options);
  if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.message}`);
  return withRoles(opened.value);
}

const sum = (stats: readonly ToldOperation[]) =>
  [
    stats.reduce((count, each) => count + each.count, 0),
    stats.reduce((total, each) => total + each.totalNs, 0) / 1000,
  ] as const;

/** Sums of floats of µs, of which those of 2022 and 2024 are on the quarter of one. */
function expectTime(us: number, expectedUs: number) {
  expect(Math.abs(us - expectedUs)).toBeLessThanOrEqual(0.001 + Math.abs(expectedUs) * 2e-5);
}

const kinds: Readonly<Record<string, string>> = {
  Runtime: 'CUDA',
  cuda_runtime: 'CUDA',
  cuda_driver: 'DRIVER',
  Kernel: 'GPU',
  kernel: 'GPU',
  Memcpy: 'GPU',
  gpu_memcpy: 'GPU',
  Memset: 'GPU',
  gpu_memset: 'GPU',
};

describeWith(['sharedData'], 'published traces of the PyTorch profiler', () => {
  const files = globSync(join(sharedData, 'kineto/*.json*')).sort();
  const all: unknown = JSON.parse(readFileSync(join(sharedData, 'EXPECTED.json'), 'utf8'));
  const expectedOf = (path: string) =>
    (all as Record<string, Expected>)[`kineto/${basename(path)}`] as Expected;

  test('are there', () => expect(files.length).toBe(12));

  test.each(files.map((path) => [basename(path), path]))('%s', (_, path) => {
    const expected = expectedOf(path);
    const told = toldByInfo(path, folder);
    const { operations: stats, notices, processes } = told;

    // Counts of what the file has, in the file's own words.
    const said = notices.map(({ text }) => text).join(' ');
    expect(notices.map(({ level }) => level)).not.toContain('warning');
    expect(said).toContain(`The file has ${expected.events.toLocaleString('en-US')} events`);
    for (const [phase, count] of Object.entries(expected.ph))
      expect(said).toContain(`${phase} ${count.toLocaleString('en-US')}`);
    // And of what became of it.
    const byKind = new Map<string, number>();
    for (const [category, count] of Object.entries(expected.cat_X)) {
      const kind = kinds[category] ?? category;
      byKind.set(kind, (byKind.get(kind) ?? 0) + count);
    }
    for (const [kind, count] of byKind) {
      const own = stats.filter(
        ({ source }) => source === kind || (kind === 'CUDA' && source === 'HIP'),
      );
      expect([kind, sum(own)[0]]).toEqual([kind, count]);
    }

    for (const [name, [count, bytes, us]] of Object.entries(expected.memcpy_n_bytes_us)) {
      const copies = stats.filter((each) => each.source === 'GPU' && each.name === name);
      expect([name, ...[sum(copies)[0], copies[0]?.bytes]]).toEqual([name, count, bytes]);
      expectTime(sum(copies)[1], us);
    }
    for (const [name, count, us] of expected.api_top_n_us) {
      const calls = stats.filter(
        (each) => /^(CUDA|HIP|DRIVER)$/.test(each.source) && each.name === name,
      );
      expect([name, sum(calls)[0]]).toEqual([name, count]);
      expectTime(sum(calls)[1], us);
    }
    const ranges = (pattern: RegExp) =>
      sum(
        stats.filter(({ source, name }) => source !== 'gpu_user_annotation' && pattern.test(name)),
      );
    for (const [pattern, [count, us]] of [
      [/^ProfilerStep/, expected.steps_n_us],
      [/^enumerate\(DataLoader\)/, expected.dataloader_n_us],
    ] as const) {
      expect([String(pattern), ranges(pattern)[0]]).toEqual([String(pattern), count]);
      expectTime(ranges(pattern)[1], us);
    }
    const worked = told.gpuWorked.filter(({ busyNs }) => busyNs > 0);
    expect(worked.map(({ gpu }) => String(gpu))).toEqual(Object.keys(expected.gpu_busy_us));
    for (const { gpu, busyNs } of worked) expectTime(busyNs / 1000, expected.gpu_busy_us[gpu]);

    const models = [...new Set(told.machine.gpus.map(({ model }) => model))];
    if (expected.gpu.length > 0) expect(models).toEqual(expected.gpu);
    const { rank, world_size: worldSize } = expected.distributedInfo;
    if (rank !== undefined) expect(processes[0]).toMatchObject({ rank });
    if (worldSize !== undefined && rank !== undefined)
      expect(processes[0]).toMatchObject({ worldSize });
    const beginNs = BigInt(Math.round(expected.first_ts_us * 1000));
    const differenceNs =
      BigInt(told.timeRange.beginUnixNs) - BigInt(expected.baseTimeNanoseconds ?? 0) - beginNs;
    expect(Math.abs(Number(differenceNs))).toBeLessThan(256);
  });

  test('one job is input-bound without workers, and is not with four', async () => {
    const told = async (name: string) => {
      const [path] = files.filter((each) => basename(each).startsWith(`kineto_resnet50_${name}_`));
      return diagnose(await imported(path)).diagnosis;
    };
    const [before, after] = [await told('nw0'), await told('nw4')];
    expect(before.verdict).toBe('input-bound');
    expect(before.findings.map(({ id }) => id)).toEqual(['workers-zero']);
    expect(before.headline).toContain('33.9 % of the mean step of 174.8 ms');
    expect(after.verdict).not.toBe('input-bound');
    expect(after.findings.map(({ id }) => id)).not.toContain('workers-zero');
    // What it can't say, it says, each with the capture that could.
    expect(before.cannotTell.length).toBeGreaterThan(10);
    // No capture tells with which signal a worker ended.
    for (const { question, because } of before.cannotTell)
      if (!question.startsWith('Did a worker die'))
        expect(because).toMatch(/Stalltrace’s agent|`record/);
  });

  test('the size of a batch is told by what is copied to the GPU, where that leaves no doubt', async () => {
    const sizes = files.map(async (path) => [
      basename(path),
      (await imported(path)).meta.batchSize,
    ]);
    const known = (await Promise.all(sizes)).filter(([, size]) => size !== undefined);
    expect(known).toEqual([
      [expect.stringContaining('resnet50_nw0'), 32],
      [expect.stringContaining('resnet50_nw4'), 32],
    ]);
  });

  test('one launch of 3 s that loads its kernel’s code is no reason for a graph', async () => {
    const [path] = files.filter((each) => basename(each).startsWith('hta_alexnet_cuda_sync'));
    const { findings, headline } = diagnose(await imported(path)).diagnosis;
    expect(findings.map(({ id }) => id)).not.toContain('launch-bound');
    expect(headline).not.toContain('launched kernels one by one');
  });

  test('what a job adds to its file, and who ran it, is nowhere in what is said of it', async () => {
    const told = [
      ['hta_v100_absolute_ts.pt.trace.json.gz', /sraikund|torchx|mast_|tsp_pnb/],
      ['tracelens_h100_bert.json.gz', /docker\.io|fill-mask|gaunernst/],
    ] as const;
    for (const [file, secret] of told) {
      const { code, stdout, stderr } = runCli(
        ['info', join(sharedData, 'kineto', file), '--json'],
        folder,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { file: _, ...said } = JSON.parse(stdout);
      expect(JSON.stringify(said)).not.toMatch(secret);
    }
  });
});
