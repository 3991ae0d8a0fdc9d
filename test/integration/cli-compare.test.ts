import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunComparison } from '../../src-main/shared/answers/comparison.ts';
import type { FlameDifference } from '../../src-main/shared/answers/flame-difference.ts';
import type { RunSeries } from '../../src-main/shared/answers/run-series.ts';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-compare-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
const compare = (...args: readonly string[]) => runCli(['compare', ...args], folder);

describe('stalltrace compare', () => {
  test('finds no change between a run and itself, and CI goes on', () => {
    const { code, stdout, stderr } = compare(sample, sample, '--fail-if-slower', '3%', '--json');
    expect(code).toBe(0);
    // Its few steps differ too much for a pass that proves something.
    expect(stderr).toMatch(/^stalltrace: A slowdown of 3\.0 % is not ruled out: .*\n$/);
    const told = JSON.parse(stdout) as RunComparison;
    expect(told).toMatchObject({ verdict: 'no-measurable-change', differences: [] });
    expect(told.findings.every(({ became }) => became === 'same')).toBe(true);
  });

  test('names what is wrong with its arguments', () => {
    expect(compare(sample)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('two trace'),
    });
    const many = Array.from({ length: 51 }, () => sample);
    expect(compare(...many)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at most 50'),
    });
    const odd = compare(sample, sample, '--fail-if-slower', '3');
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('write 3%') });
    const missing = compare(sample, join(folder, 'none.db'));
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('none.db') });
  });
});

describe('the stacks of two runs', () => {
  test('are told as JSON and as Markdown', () => {
    const flame = ['compare', sample, sample, '--flame', 'cpu-samples'];
    const { first, second, per } = JSON.parse(
      runCli([...flame, '--json'], folder).stdout,
    ) as FlameDifference;
    expect(first.whole).toBeGreaterThan(0);
    expect([per, second]).toEqual(['step', first]);
    expect(runCli([...flame, '--markdown'], folder).stdout).toMatch(
      /^## What changed by function: CPU samples, a step\n[\s\S]*No function changed\.\n/,
    );
  });
});

describeWith(['sharedData'], 'a trace and TraceML’s summary', () => {
  let written = '';
  beforeAll(() => {
    const path = join(sharedData, 'traceml/traceml_input_bound.final_summary.json');
    written = readFileSync(path, 'utf8');
  });
  const summaryAt = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  /** As if it had been written at the end of the sample’s recording. */
  const beside = () => {
    const { code, stdout, stderr } = runCli(['info', sample, '--json'], folder);
    expect(code, stderr).toBe(0);
    const { timeRange } = JSON.parse(stdout) as { timeRange: { beginUnixNs: string } };
    const beginMs = Number(BigInt(timeRange.beginUnixNs) / 1_000_000n);
    const generated = new Date(beginMs + 1_000).toISOString();
    return JSON.stringify({ ...JSON.parse(written), generated_at: generated });
  };

  test('agree, in any order, as text, JSON and Markdown', () => {
    const summary = summaryAt('final_summary.json', beside());
    const { code, stdout, stderr } = compare(sample, summary, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({
      agreement: 'agrees',
      verdicts: { theirs: 'INPUT-BOUND', ours: 'INPUT-BOUND' },
    });
    expect(told.sentence).toMatch(/Waiting for input: 94\.7 % of a step by TraceML, at least 42/);
    expect(compare(summary, sample).stdout).toContain(told.sentence);
    expect(compare(sample, summary, '--markdown').stdout).toMatch(/^\| Verdict \| INPUT/m);
  });

  test('of other times are told to be of other runs', () => {
    const { code, stdout } = compare(sample, summaryAt('other.json', written), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      agreement: 'cannot-tell',
      sentence: expect.stringContaining('of another run'),
    });
  });

  test('what goes wrong is one sentence', () => {
    const cut = summaryAt('cut.json', written.slice(0, 4_000));
    expect(compare(sample, cut)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^stalltrace: “cut\.json” is not a whole summary.*\.\n$/),
    });
    const whole = summaryAt('whole.json', written);
    expect(compare(sample, whole, '--fail-if-slower', '3%')).toMatchObject({ code: 2 });
    expect(compare(whole, whole)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('summary by TraceML'),
    });
  });
});

describeWith(['sharedData'], 'two profiles of one job, without workers and with four', () => {
  const [none = ''] = globSync(join(sharedData, 'kineto/*nw0*'));
  const [four = ''] = globSync(join(sharedData, 'kineto/*nw4*'));

  /** The file of each run, by another name. */
  function folderOf(runs: Readonly<Record<string, string>>): string {
    const made = mkdtempSync(join(folder, 'runs-'));
    for (const [name, from] of Object.entries(runs)) copyFileSync(from, join(made, name));
    return made;
  }

  test('of a folder, with a third run and a file that is none: a table, by what varied, and bars', () => {
    const runs = folderOf({ 'four.json.gz': four, 'none.json.gz': none, 'again.json.gz': four });
    writeFileSync(join(runs, 'notes.txt'), 'No trace.');
    copyFileSync(four, join(runs, '.kept.json.gz'));
    const { code, stdout, stderr } = compare(runs, '--fail-if-slower', '3%');
    expect(stderr).toMatch(
      /^Left out: Hidden \(a name that begins with a dot\): \.kept\.json\.gz\.\nLeft out: .*notes\.txt/,
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^A mean step is shortest in (four|again)\.json\.gz.*131\.3 ms, 24\.8 % shorter/,
    );
    expect(stdout).toMatch(/Steps are not measurably longer in (four|again)\.json\.gz/);
    expect(stdout).toMatch(/none\.json\.gz .*174\.6 ms .*the first .*69\.42 ms .*█{20} /);
    const told = JSON.parse(compare(runs, '--json').stdout) as RunSeries;
    expect(told.runs.map(({ comparison }) => comparison?.verdict).toSorted()).toEqual([
      ...['improved', 'improved', undefined],
    ]);
  });

  test('one by one the first that is named is what the others are compared with', () => {
    const args = ['--markdown', '--fail-if-slower', '3%'];
    const { code, stdout, stderr } = compare(four, none, four, ...args);
    expect(code).toBe(7);
    expect(stderr).toMatch(/^stalltrace: Slower: a mean step is 3\d\.\d % longer than .*\n$/);
    expect(stdout).toMatch(
      /^## 3 runs compared\n\nNo run is measurably faster than the first, and 1 of/,
    );
    expect(compare(none, four, sample, '--fail-if-slower', '3%')).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^stalltrace: Not comparable: .* The check has not passed: /),
      stdout: expect.stringContaining('1 run can’t be compared with the first'),
    });
  });

  test('a folder with one trace is nothing to compare', () => {
    const runs = folderOf({ 'four.json.gz': four });
    expect(compare(runs)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has 1 trace'),
    });
  });

  test('tell in which code a step takes less, as flamegraph.pl draws differences', () => {
    const { code, stdout } = compare(none, four, '--flame', 'gpu-time');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !/^[^;]+(;[^;]+)* \d+ \d+$/.test(line))).toEqual([]);
    const [was = 0, is = 0] = [-2, -1].map((field) =>
      lines.reduce((sum, line) => sum + Number(line.split(' ').at(field)), 0),
    );
    // What the GPUs computed a step, in both.
    expect(Math.round(was / 1e6)).toBe(100);
    expect(Math.round(is / 1e6)).toBe(101);
    // Two are read at once: the first that fails is told.
    expect(compare(none, four, '--flame', 'off-cpu-time')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/nw[04].*It has no stacks for “Off-CPU time”\./),
    });
    expect(compare(none, four, '--flame', 'time')).toMatchObject({ code: 2 });
    expect(compare(none, four, four, '--flame', 'gpu-time')).toMatchObject({ code: 2 });
  });

  test('are written as Markdown', () => {
    const { stdout } = compare(none, four, '--markdown');
    expect(stdout).toMatch(/^## Two runs compared\n/);
    expect(stdout).toContain('| Waiting for input | 69.42 ms | 838.2 µs |');
    expect(stdout).toMatch(/\| First \| INPUT-BOUND \| .*\n\| Second \| HOST-BOUND \| /);
  });

  test('say that a step is shorter, by its wait for input, and which finding is gone; the other way round a check in CI fails', () => {
    const check = ['--fail-if-slower', '3%'];
    const { code, stdout } = compare(none, four, ...check);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Faster\. A mean step takes 131\.3 ms instead of 174\.6 ms: 24\.8 % shorter/,
    );
    expect(stdout).toMatch(/First run: INPUT-BOUND\. The GPU has nothing to do for 33\.9 %/);
    expect(stdout).toMatch(/Second run: HOST-BOUND\. .* 0\.8 % while it waited for input\./);
    expect(stdout).toMatch(/Waiting for input +69\.42 ms +838\.2 µs +0\.012 \(/);
    expect(stdout).toContain('DataLoader workers: 0 → 1 or more');
    expect(stdout).toMatch(
      /gone: The training process loads the data itself \[workers-zero\]\. .*By its cost it accounts for /,
    );
    expect(stdout).toContain(
      'not compared: GPU driver, CUDA, Python, PyTorch, Other Python packages, CPU model',
    );
    expect(compare(four, none, ...check).code).toBe(7);
  });
});
