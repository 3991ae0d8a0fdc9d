import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/built.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';

/** `stalltrace merge`: one trace of those of several ranks. */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-merge-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stalltrace = (...args: readonly string[]) =>
  runCli(args, folder, { STALLTRACE_DATA_DIR: join(folder, 'data') });
const infoOf = (file: string) => JSON.parse(stalltrace('info', file, '--json').stdout);
const textsOf = (file: string): string =>
  infoOf(file)
    .notices.map((notice: { readonly text: string }) => notice.text)
    .join('\n');

const kineto = (name: string) => join(sharedData, 'kineto', name);
const ranks = ['hta_rank0of128.json.gz', 'hta_rank1of128.json.gz'];

describeWith(['sharedData'], 'two ranks of one job, profiled by PyTorch', () => {
  test('become one trace with all that each of them has, kept in the library', () => {
    const out = join(folder, 'both.db');
    const { code, stdout, stderr } = stalltrace('merge', ...ranks.map(kineto), '--out', out);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`One trace of 2 files: ${out}\n`);
    const [both, one, other] = [out, ...ranks.map(kineto)].map(infoOf);
    for (const table of ['cuda_call', 'gpu_work', 'range'])
      expect(both.tables[table].rows, table).toBe(
        one.tables[table].rows + other.tables[table].rows,
      );
    expect(both.processes.map(({ rank }: { readonly rank: number }) => rank)).toEqual([0, 1]);
    expect(both.clocks).toMatchObject([{ offsetNs: 0, uncertaintyNs: 0 }, { offsetNs: 0 }]);
    expect(both.clocks[1].uncertaintyNs).toBeGreaterThan(0);
    expect(textsOf(out)).toMatch(/rank1of128\.json\.gz: its times stand as they were, right to ± /);
    // It says what was made of what, and asks nothing of the profiler that it does not record.
    expect(both.format).toBe('PyTorch profiler 1');
    const { investigations } = JSON.parse(stalltrace('library', '--json').stdout);
    expect(investigations).toContainEqual(
      expect.objectContaining({ name: `${ranks[0]} + ${ranks[1]}`, storage: 'copied' }),
    );
  });

  test('are those of a folder, too; the same ones are not kept twice', () => {
    const mine = join(folder, 'ranks');
    mkdirSync(mine);
    for (const name of ranks) copyFileSync(kineto(name), join(mine, name));
    writeFileSync(join(mine, 'train.log'), 'step 1: loss 0.7');
    const { code, stdout, stderr } = stalltrace('merge', mine, '--json');
    expect(stderr).toMatch(/^Left out: .*train\.log.*\n$/);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).files).toEqual(ranks.map((name) => join(mine, name)));
    const { investigations } = JSON.parse(stalltrace('library', '--json').stdout);
    const merged = ({ name }: { readonly name: string }) => name.includes(' + ');
    expect(investigations.filter(merged)).toHaveLength(1);
  });

  test('what is there of a file that is cut off is merged, and said', () => {
    const [whole = '', cut = ''] = ranks;
    const packed = readFileSync(kineto(cut));
    const path = join(folder, 'cut off.json.gz');
    writeFileSync(path, packed.subarray(0, Math.floor(packed.length / 2)));
    const out = join(folder, 'cut off.db');
    const { code, stderr } = stalltrace('merge', kineto(whole), path, '--out', out);
    const said =
      '“cut off.json.gz” is cut off: its readable part is merged, and what came last is missing.';
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${said}\n` });
    expect(textsOf(out)).toContain(said);
    // Which file it is, is said once, and never of all of them.
    expect(textsOf(out)).not.toContain('The file ends');
    const { tables } = infoOf(out);
    expect(tables.range.rows).toBeGreaterThan(infoOf(kineto(whole)).tables.range.rows);
    expect(tables.range.provenance.kind).toBe('partial');
  });

  test('what goes wrong is one sentence, and nothing is kept', () => {
    const [one = '', other = ''] = ranks.map(kineto);
    const known = stalltrace('library', '--json').stdout;
    const failures = [
      [stalltrace('merge', one), 2, 'Name two trace files or more of one run'],
      [stalltrace('merge', one, one), 1, 'is named twice: name each file once.'],
      [stalltrace('merge', one, join(folder, 'none.json')), 1, 'none.json'],
      [
        stalltrace('merge', one, kineto('tracelens_mi300_ddp.json.gz')),
        1,
        'so they are not of one run: compare them instead.',
      ],
      [stalltrace('merge', one, other, '--out', join(folder, 'both.db')), 1, 'exists already'],
    ] as const;
    for (const [{ code, stderr }, expected, sentence] of failures) {
      expect(stderr).toContain(sentence);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(expected === 2 ? 3 : 1);
      expect(code).toBe(expected);
    }
    const cut = join(folder, 'cut');
    mkdirSync(cut);
    for (const name of ranks) copyFileSync(kineto(name), join(cut, name));
    writeFileSync(join(cut, 'rank2.json.gz'), 'no archive');
    expect(stalltrace('merge', cut).stderr).toMatch(/rank2\.json\.gz/);
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    writeFileSync(join(empty, 'one.txt'), '');
    expect(stalltrace('merge', empty).stderr).toContain(
      'put at least two there, or name the files',
    );
    const odd = join(folder, 'out', 'of', 'place.db');
    expect(stalltrace('merge', one, other, '--out', odd).code).toBe(1);
    expect(existsSync(odd)).toBe(false);
    expect(stalltrace('library', '--json').stdout).toBe(known);
  });
});

describeWith(['torch'], 'two ranks that really trained together, each profiled by itself', () => {
  test('are brought in line by what both waited for', async () => {
    const script = join(root, 'test/agent/jobs/profiled_ranks.py');
    const files = [0, 1].map((rank) => join(folder, `rank${rank}.json`));
    const begansNs: (readonly bigint[])[] = await Promise.all(
      files.map(async (file, rank) => {
        const args = [script, String(rank), join(folder, 'store'), file];
        const job = spawn('/usr/bin/python3', args, { stdio: ['ignore', 'pipe', 'inherit'] });
        const [said] = await Promise.all([text(job.stdout), once(job, 'close')]);
        expect(job.exitCode).toBe(0);
        return said.trim().split(' ').map(BigInt);
      }),
    );
    const out = join(folder, 'trained.db');
    expect(stalltrace('merge', ...files, '--out', out).code).toBe(0);
    const { clocks } = infoOf(out);
    const [, { offsetNs, uncertaintyNs }] = clocks;
    // A profile counts from its own begin, which each told by the clock of both to within two moments.
    const [[from0 = 0n, to0 = 0n] = [], [from1 = 0n, to1 = 0n] = []] = begansNs;
    expect(offsetNs).toBeGreaterThanOrEqual(Number(from1 - to0) - uncertaintyNs);
    expect(offsetNs).toBeLessThanOrEqual(Number(to1 - from0) + uncertaintyNs);
    expect(textsOf(out)).toMatch(/right to ± [\d.]+ .s, as \d\d collectives ended together\./);
  });
});
