import { describe, expect, test } from 'vitest';
import type { OperationStats } from '../../shared/answers/operations.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import { fakeSummary } from '../../timeline/testing/fake-summary.ts';
import { infoJson } from './info-json.ts';
import { infoText } from './info-text.ts';

const summary: TraceSummary = {
  format: 'test',
  version: '1',
  beginUnixNs: '0',
  lengthNs: 1,
  hosts: [{}],
  cpus: [],
  gpus: [],
  processes: [],
  threads: [],
  names: [],
  nameSources: [],
  streams: [],
  gpuWork: { counts: { unknown: 0, kernel: 0, copy: 0, fill: 0, graph: 0 }, readable: {} },
  hasSummedCalls: false,
  coverage: [],
  tables: {} as TraceSummary['tables'],
  gpuBusy: [],
  capabilities: [],
  sourceFindings: [],
  notices: [],
};

const operation = (name: string): OperationStats => ({
  source: 'x',
  name,
  direction: null,
  count: 1,
  bytes: 0,
  totalNs: 1,
  p50Ns: 1,
  p95Ns: 1,
  p99Ns: 1,
  maxNs: 1,
});

const nativeCode = { used: false, why: 'It is switched off.' } as const;

test('a moment has no duration: no zero is printed for it', () => {
  const exit = { ...operation('exit'), totalNs: 0, p50Ns: 0, p95Ns: 0, p99Ns: 0, maxNs: 0 };
  const text = infoText({
    path: 'x',
    sizeBytes: 1,
    summary,
    operations: [exit, operation('read')],
  });
  expect(text).toMatch(/^ {2}x +exit +1 *$/m);
  expect(text).toMatch(/^ {2}x +read +1 +1 ns/m);
});

test('how busy each GPU was by its own records, in the text and as figures', () => {
  const worked = { gpu: 0, label: 'GPU 0', busyNs: 75, computingNs: 50, overNs: 100, unknownNs: 0 };
  const gpuWorked = [worked, { ...worked, gpu: 1, label: 'GPU 1', unknownNs: 5 }];
  const told = fakeSummary({}, { gpuWorked });
  const info = { path: 'x', sizeBytes: 1, summary: told, operations: [], nativeCode };
  expect(infoText(info)).toMatch(
    /^GPU busy +GPU 0: 75\.0 % \(computing 50\.0 %; exact, .*\); GPU 1: ≥ 75\.0 % \(computing ≥ 50\.0 %;.*missing\)$/m,
  );
  expect(infoJson(info).gpuWorked).toEqual([
    { ...worked, known: 'exact' },
    { ...worked, gpu: 1, label: 'GPU 1', unknownNs: 5, known: 'partial' },
  ]);
  expect(infoJson({ ...info, summary: fakeSummary({}) }).gpuWorked).toEqual([]);
  expect(infoJson(info).nativeCode).toEqual(nativeCode);
});

test('what each thread did stands in the JSON, where anything is known of it', () => {
  const thread = { ...{ thread: 0, tid: 7, name: 'a', role: 'other' as const, roleBasis: 'x' } };
  const process = { ...{ process: 3, pid: 7, label: '', lineage: '', name: '', parent: -1 } };
  const more = { role: 'other' as const, roleBasis: '', roleSet: false, insideJob: true };
  const threads = [
    { ...thread, offCpuNs: 5, switches: 2 },
    { ...thread, tid: 8 },
  ];
  const bases = [{ aggregated: [], atLeast: ['offCpuNs' as const] }];
  const breakdowns = { processes: [{ ...process, ...more, threads }], bases, note: 'so' };
  const info = { path: 'x', sizeBytes: 1, summary: fakeSummary({}), operations: [], nativeCode };
  expect(infoJson({ ...info, breakdowns })).toMatchObject({
    threads: [{ process: 3, tid: 7, name: 'a', role: 'other', offCpuNs: 5, switches: 2 }],
    threadFigures: { bases, note: 'so' },
  });
  expect(infoJson(info)).not.toHaveProperty('threads');
});

test('a kernel of C++ has a line that can be read; as JSON, all of its name', () => {
  const kernel = operation(
    `void at::native::reduce<${'std::array<float, 4ul>, '.repeat(20)}int>(int)`,
  );
  const named = { ...kernel, shortName: 'reduce', recordedName: '_Z6reduce' };
  const summary = fakeSummary({});
  const info = { path: 'x', sizeBytes: 1, summary, operations: [named], nativeCode };
  expect(infoText(info)).toMatch(/^ {2}x +reduce +1 +1 ns/m);
  expect(infoJson(info).operations).toMatchObject([
    { name: kernel.name, recordedName: '_Z6reduce' },
  ]);
});

test('of several hosts, it is said how well the clock of each is known', () => {
  const hosts = [
    { hostname: 'a', cpuCount: 2 },
    { hostname: 'b', cpuCount: 2 },
  ];
  const clocks = [
    { offsetNs: 0, uncertaintyNs: 0 },
    { offsetNs: 5, uncertaintyNs: 3e6 },
  ];
  const text = infoText({
    path: 'x',
    sizeBytes: 1,
    summary: { ...summary, hosts, clocks },
    operations: [],
  });
  expect(text).toMatch(/^ {2}name .* clock$/m);
  expect(text).toMatch(/^ {2}b .* ± 3\.000 ms$/m);
  expect(text).toMatch(/^CPU +\(2 CPUs\) on each of 2 machines$/m);
});

describe('infoText', () => {
  test('lists the hosts of a trace of several, each with what it has', () => {
    const process = { pid: 96, name: '', parent: -1, role: 'other', roleBasis: '' } as const;
    const text = infoText({
      path: 'x.db',
      sizeBytes: 1,
      operations: [],
      summary: {
        ...summary,
        hosts: [{ hostname: 'a', cpuCount: 8 }, {}],
        gpus: [{ model: 'H100', host: 1 }],
        processes: [process, { ...process, host: 1 }, { ...process, host: 1 }],
      },
    });
    expect(text.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['a', '1', '(8 CPUs)'],
        ['machine 2', '2', 'H100'],
      ]),
    );
    expect(infoText({ path: '', sizeBytes: 1, operations: [], summary })).not.toContain('Hosts');
  });

  test('says of which host an operation is, where there are several', () => {
    const operations = [{ ...operation('sync'), host: 'gpu-b' }];
    const textOf = (hosts: TraceSummary['hosts']) =>
      infoText({ path: 'x.db', sizeBytes: 1, operations, summary: { ...summary, hosts } });
    const several = textOf([{ hostname: 'gpu-a' }, { hostname: 'gpu-b' }]);
    expect(several).toMatch(/host +source +name/);
    expect(several).toMatch(/gpu-b +x +sync/);
    expect(textOf([{}])).toMatch(/Operations\n +source +name/);
  });

  test('says how many of the recorded events are stored, and how that is known', () => {
    const some = { ...operation('some'), count: 16, counted: { stored: 16, counted: 30 } };
    const part = { ...operation('part'), count: 8, counted: { stored: 16, counted: 30 } };
    const textOf = (operations: OperationStats[]) =>
      infoText({ path: 'trace.db', sizeBytes: 1, summary, operations });
    const text = textOf([some, part, operation('all')]);
    expect(text).toMatch(/some +16 of 30 +≥ 1 ns/);
    expect(text).toMatch(/part +≥ 8 +≥ 1 ns/);
    expect(text).toMatch(/30 happened by the recorder’s own sums/);
    expect(textOf([operation('all')])).not.toMatch(/are stored in the file/);
  });

  test('says how long all took that were recorded, also of an operation of several directions', () => {
    const counted = { stored: 16, counted: 30, storedNs: 1, totalNs: 9, maxNs: 7 };
    const whole = { ...operation('some'), count: 16, counted };
    const part = { ...operation('part'), count: 8, counted };
    const text = infoText({ path: 'x', sizeBytes: 1, summary, operations: [whole, part] });
    expect(text).toMatch(/some +16 of 30 +1 ns of 9 ns +1 ns +1 ns +1 ns +7 ns/);
    expect(text).toMatch(/part +≥ 8 +≥ 1 ns/);
    expect(text).toContain('  part, all directions: 16 of 30, 1 ns of 9 ns');
  });

  test('says who was a part of the job, and what the recorder could not use', () => {
    const rank = (of: number) => ({
      pid: of,
      name: 'python3',
      parent: -1,
      role: 'main' as const,
      roleBasis: '',
      rank: of,
      worldSize: 2,
    });
    const stranger = { pid: 9, name: 'cc1', parent: -1, role: 'other' as const, roleBasis: '' };
    const capabilities = [
      { name: 'switches', available: true, detail: 'BPF' },
      { name: 'cuda_calls', available: false, detail: 'no uprobes' },
    ];
    const known = { ...summary, processes: [rank(1), rank(0), stranger], capabilities };
    const text = infoText({ path: 'trace.db', sizeBytes: 1, summary: known, operations: [] });
    expect(text).toContain('processes  3, of them 1 outside the job; rank 0, 1 of 2');
    expect(text).toMatch(/ {2}cuda_calls {2}no {3}no uprobes\n {2}switches {4}yes {2}BPF/);
  });

  test('lists more operations than a call takes arguments', () => {
    const operations = Array.from({ length: 160_000 }, (_, at) => operation(`name ${at}`));
    const text = infoText({ path: 'trace.db', sizeBytes: 1, summary, operations });
    expect(text.split('\n').filter((line) => /^ {2}x {7}name /.test(line))).toHaveLength(160_000);
  });
});
