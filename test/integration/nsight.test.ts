import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diagnose } from '../../src-main/analysis/findings/diagnose.ts';
import { withRoles } from '../../src-main/analysis/roles/roles.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { describeWith, sharedData } from '../support/requirements.ts';
import { runCli } from '../support/run-cli.ts';
import { type ToldOperation, toldByInfo } from '../support/told-by-info.ts';

/** Name, how often, ns. */
type Named = readonly [name: string, count: number, ns: number];

/** As EXPECTED.json has it: worked out from the files by another program. Times in ns. */
interface Expected {
  readonly rows: Readonly<Record<string, number>>;
  readonly nsys: readonly string[];
  readonly schema: readonly string[];
  readonly kernel_busy_ns?: Readonly<Record<string, number>>;
  readonly memcpy_kind_src_dst_n_bytes_ns?: readonly (readonly number[])[];
  readonly api_top_n_ns?: readonly Named[];
  readonly sync_by_api?: readonly (readonly [name: string | null, count: number, ns: number])[];
  readonly osrt_top_n_ns?: readonly Named[];
  readonly offcpu_top_tid_ns?: readonly (readonly [tid: number, ns: number])[];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-nsight-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function imported(path: string): Trace {
  const opened = openTrace(path, { scratchDir: join(folder, 'scratch'), importers, progress() {} });
  if (!opened.ok) throw new Error(`${opened.error.code}: ${opened.error.message}`);
  return withRoles(opened.value);
}

/** The file’s own numbers of memory, and of the ways of copies. */
const MEMORY = ['Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device', 'Managed'];
const WAYS = ['', 'HtoD', 'DtoH', 'HtoA', 'AtoH', 'AtoA', 'AtoD', 'DtoA', 'DtoD', 'HtoH', 'PtoP'];

describeWith(['sharedData'], 'published exports of Nsight Systems', () => {
  const files = globSync(join(sharedData, 'nsys/*.sqlite')).sort();
  const all: unknown = JSON.parse(readFileSync(join(sharedData, 'EXPECTED.json'), 'utf8'));
  const expectedOf = (path: string) =>
    (all as Record<string, Expected>)[`nsys/${basename(path)}`] as Expected;

  test('are there', () => expect(files.length).toBe(9));

  test.each(files.map((path) => [basename(path), path]))('%s', (_, path) => {
    const expected = expectedOf(path);
    const told = toldByInfo(path, folder);
    const { tables } = told;
    expect(told.version).toBe(`${expected.nsys[0]} (schema ${expected.schema[0]})`);
    // Of two of them Nsight Systems itself says that it may not have all: stopped by the program, before it was given.
    const isDoubted = /clean|cudagraph/.test(path);
    expect(tables.gpu_work.provenance.kind).toBe(
      tables.gpu_work.rows === 0 ? 'absent' : isDoubted ? 'partial' : 'exact',
    );
    expect(told.notices.map(({ text }) => text)).toEqual(
      /zx_llm/.test(path) ? [expect.stringContaining('may not have collected all of these')] : [],
    );
    expect(tables.cpu_sample.rows).toBe(expected.rows.COMPOSITE_EVENTS ?? 0);
    const ofWork = ['KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE'].map(
      (kind) => expected.rows[`CUPTI_ACTIVITY_KIND_${kind}`] ?? 0,
    );
    expect(tables.gpu_work.rows).toBe(ofWork.reduce((sum, rows) => sum + rows, 0));

    expect(told.gpuWorked.map(({ kernelNs }) => kernelNs)).toEqual(
      Object.values(expected.kernel_busy_ns ?? {}),
    );
    const summed = (sources: RegExp, name: string) => {
      const own = told.operations.filter((each) => sources.test(each.source) && each.name === name);
      const sum = (of: (each: ToldOperation) => number) =>
        own.reduce((all, each) => all + of(each), 0);
      return [name, sum(({ count }) => count), sum(({ totalNs }) => totalNs)];
    };
    for (const [
      way = 0,
      from = 0,
      to = 0,
      count,
      bytes,
      ns,
    ] of expected.memcpy_kind_src_dst_n_bytes_ns ?? []) {
      const name = `Memcpy ${WAYS[way]} (${MEMORY[from]} -> ${MEMORY[to]})`;
      expect(summed(/^GPU$/, name)).toEqual([name, count, ns]);
      expect(told.operations.find((each) => each.name === name)?.bytes).toBe(bytes);
    }
    const plain = (name: string | null) => name?.replace(/_v\d+$/, '') ?? '(not known)';
    for (const [name, count, ns] of expected.api_top_n_ns ?? []) {
      // Of 2022 calls are there twice: the copy, without a version, carries the backtrace.
      if (plain(name) === name && name.startsWith('cuda')) continue;
      expect(summed(/^(CUDA|DRIVER)$/, plain(name))).toEqual([plain(name), count, ns]);
    }
    for (const [name, count, ns] of expected.sync_by_api ?? [])
      expect(summed(/^cuda_sync$/, plain(name))).toEqual([plain(name), count, ns]);
    for (const [name, count, ns] of expected.osrt_top_n_ns ?? [])
      expect(summed(/^OS runtime$/, name)).toEqual([name, count, ns]);
    for (const [tid, ns] of expected.offcpu_top_tid_ns ?? [])
      expect([tid, told.threads.find((thread) => thread.tid === tid)?.offCpuNs]).toEqual([tid, ns]);
  });

  test('work stands beside the calls that submitted it', () => {
    const path = files.find((file) => file.includes('jsun_llm')) as string;
    const { gpu_work: work, cuda_call: calls } = imported(path).tables;
    const joined = Array.from(work.columns.call ?? []).filter((call) => call >= 0);
    expect(joined.length / work.rows).toBeGreaterThan(0.99);
    const names = new Set(joined.map((call) => calls.columns.op[call]));
    expect(names.size).toBeLessThan(10);
  });

  const diagnosed = (name: string) => {
    const path = files.find((file) => file.includes(name)) as string;
    const { diagnosis } = diagnose(imported(path));
    const open = diagnosis.cannotTell.map(({ question }) => question);
    return { ...diagnosis, open, ids: diagnosis.findings.map(({ id }) => id) };
  };
  const neverTold = [
    'When did threads wait for a CPU, and when for something else?',
    'Who was ready to run, but without a CPU?',
    'Who woke the thread that waited?',
    'What did the disks do?',
    'Which lines of Python used the CPU?',
  ];

  test('a training loop is told what the GPU did; launches that load code first are no reason for a graph', () => {
    const { verdict, headline, ids, open, cannotTell, clues, ranks } = diagnosed('jsun_llm');
    // What the loop did outside of CUDA calls is not in the file: whether it waited for input is left open.
    expect(verdict).toBe('unknown');
    expect(headline).toMatch(
      /^The GPU was computing 64\.6 %, only copying 0\.2 %, idle 35\.2 %: 22\.3 % while the loop was in other CUDA calls/,
    );
    expect(headline).toContain('input wait cannot be told from other host time');
    expect(headline).toContain('1.0 % while it launched kernels one by one');
    expect(ids).toEqual([]);
    // Ranges of the job name its steps; the copies that repeat while its model is made are none.
    const [{ steps }] = ranks;
    expect(steps).toMatchObject({ basis: 'annotation', count: 5 });
    expect(steps.note).toContain('from “Warm-up Step 1” to “Warm-up Step 5”');
    expect(steps.steps.map(({ startNs, endNs }) => Math.round((endNs - startNs) / 1e6))).toEqual([
      773, 223, 244, 223, 224,
    ]);
    expect(clues?.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The GPU has nothing to do for 35\.2\s% of the time$/),
    ]);
    expect(open).toEqual(expect.arrayContaining(neverTold));
    // Those are in the file.
    expect(open).not.toContain('What did the GPU run, and when was it idle?');
    expect(open).not.toContain('Was the memory that was copied to the GPU pinned?');
    expect(cannotTell[0]?.because).toContain('Stalltrace’s agent with BPF records them all');
  });

  test('a model that is copied to its GPUs again and again is bound by that, on both', () => {
    const { verdict, headline, ids, open, ranks } = diagnosed('nsysai_h100');
    expect(verdict).toBe('h2d-bound');
    expect(headline).toContain(
      'Copies to the GPU keep it from computing for 95.0 % of the recorded time',
    );
    expect(ranks.map((rank) => rank.verdict)).toEqual(['h2d-bound', 'h2d-bound']);
    expect(ids).toEqual([]);
    expect(open).toEqual(expect.arrayContaining(neverTold));
  });

  test('of which Nsight Systems itself says that some may be missing, only what holds all the same is told', () => {
    const { verdict, headline, ids, open } = diagnosed('zx_llm_2_7B_clean');
    expect(verdict).toBe('compute-bound');
    expect(headline).toMatch(/^The GPU computes for 99\.7 % of the recorded time or more:/);
    expect(ids).toEqual([]);
    expect(open).toContain('What did the GPU run, and when was it idle?');
  });

  test('operators of PyTorch are told apart by name, not by call', () => {
    const { tables } = imported(files.find((file) => file.includes('nsysai_h100')) as string);
    expect(tables.range.rows).toBeGreaterThan(16_000);
    expect(new Set(tables.range.columns.op).size).toBeLessThan(200);
  });

  test('neither the environment nor who exported it is in what is said of a file', () => {
    const path = files.find((file) => file.includes('nsysai_h100')) as string;
    const copy = join(folder, 'run.sqlite');
    copyFileSync(path, copy);
    const { code, stdout, stderr } = runCli(['info', copy, '--json'], folder);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/rich-wsl|DESKTOP-KBEMEQS|fastvideo|perf_h100_sp2/);
    const report = runCli(['export', copy, '--markdown', join(folder, 'run.md')], folder);
    expect(report).toMatchObject({ code: 0 });
    const text = readFileSync(join(folder, 'run.md'), 'utf8');
    expect(text).not.toMatch(/rich-wsl|DESKTOP-KBEMEQS|fastvideo|perf_h100_sp2/);
  });
});
