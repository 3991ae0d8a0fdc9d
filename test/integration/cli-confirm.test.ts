import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Confirmation } from '../../src-main/shared/answers/confirmation.ts';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-confirm-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');
const confirm = (...args: readonly string[]) => runCli(['confirm', ...args], folder);

describe('stalltrace confirm', () => {
  test('says that a trace still has its own finding, in words, JSON and exit code', () => {
    const text = confirm('workers-to-cores', sample, sample);
    expect(text).toMatchObject({ code: 5, stderr: '' });
    expect(text.stdout).toMatch(/^STILL THERE More DataLoader workers than CPUs\n/);
    expect(text.stdout).toMatch(/\n\s+first\s+second\n/);
    const json = confirm('workers-to-cores', sample, sample, '--json');
    const told = JSON.parse(json.stdout) as Confirmation & { readonly finding: string };
    expect(told).toMatchObject({
      finding: 'workers-to-cores',
      outcome: 'still-there',
      differs: [],
    });
    expect(told.figures.length).toBeGreaterThan(1);
    for (const { before, after } of told.figures) expect(after).toBe(before);
  });

  test('is what explain tells to run', () => {
    const { stdout } = runCli(['explain', sample], folder);
    expect(stdout).toMatch(/ {2}To confirm it: If this finding is right, its .* a step are gone /);
    expect(stdout).toMatch(
      / {6}stalltrace capture HOST --duration 60s --folder DIR -- \/usr\/bin\/python3 train\.py .* --item-cpu-us 250\n/,
    );
    expect(stdout).toContain('      stalltrace confirm workers-to-cores BEFORE AFTER\n');
  });

  test('names the findings that there are, where it is asked for another', () => {
    const none = confirm('no-such', sample, sample);
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/no finding “no-such”: it has workers-to-cores, /);
    const rank = confirm('workers-to-cores', sample, sample, '--rank', '7');
    expect(rank.stderr).toContain('There is no rank 7 in the first trace: it has 1.');
  });

  test('names what is wrong with its command line', () => {
    for (const args of [[], ['x'], ['x', sample], ['x', sample, sample, sample]])
      expect(confirm(...args).code, args.join(' ')).toBe(2);
    expect(confirm('x', sample, sample, '--rank', 'one').code).toBe(2);
    expect(confirm('workers-to-cores', sample, join(folder, 'none.db'))).toMatchObject({ code: 1 });
  });
});

describeWith(['sharedData'], 'stalltrace confirm with a trace of another recorder', () => {
  test('cannot tell where that does not hold what the finding is made from', () => {
    const other = join(sharedData, 'ingero/dataloader_starvation.db');
    const { code, stdout } = confirm('workers-to-cores', sample, other);
    expect(code).toBe(6);
    expect(stdout).toMatch(/^CANNOT TELL More DataLoader workers than CPUs\n.*\n/);
    expect(stdout).toContain('What else differs between the two runs:');
  });
});
