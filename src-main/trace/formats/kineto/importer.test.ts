import { describe, expect, test } from 'vitest';
import { frameAt } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { fillSubmissions } from '../../build/fill-submissions.ts';
import { joinSubmissions } from '../../build/join-submissions.ts';
import { sourceOf } from '../../event-json/testing/source-of.ts';
import { kinetoImporter } from './importer.ts';
import { smallBeside, smallEvents, smallKineto } from './testing/small-trace.ts';

const context = { fileName: 'a.json', progress: () => undefined };

function imported(content: string | Buffer, partBytes?: number): Trace {
  const source = sourceOf(content, partBytes);
  expect(kinetoImporter.recognises(source)).toBe(true);
  const result = kinetoImporter.importTrace(source, context);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

const namesOf = (trace: Trace, table: 'cuda_call' | 'gpu_work' | 'range') =>
  Array.from(trace.tables[table].columns.op, (op) => trace.names[op]);

const warnings = (trace: Trace) =>
  trace.notices.filter(({ level }) => level === 'warning').map(({ text }) => text);

describe('a small trace', () => {
  const trace = imported(smallKineto);

  test('has calls, GPU work and ranges where they belong', () => {
    expect(namesOf(trace, 'cuda_call')).toEqual([
      'cudaMemcpyAsync',
      'cudaLaunchKernel',
      'cudaMemsetAsync',
    ]);
    const { gpu_work: work, range } = trace.tables;
    expect(Array.from(work.columns.startNs)).toEqual([340_000, 500_000, 601_000]);
    expect(Array.from(work.columns.durationNs)).toEqual([25_125, 100_000, 1000]);
    expect(Array.from(work.columns.gpu)).toEqual([1, 1, 1]);
    expect(Array.from(work.columns.gridX ?? [])).toEqual([-1, 4, -1]);
    expect(Array.from(work.columns.sourceMemory ?? [])).toEqual([4, 0, 0]);
    expect(trace.streams).toEqual([{ name: 'stream 7', context: 0 }]);
    expect(trace.contexts).toEqual([{ process: 0, gpu: 1 }]);
    expect(trace.processes).toMatchObject([{ pid: 100, name: 'python', rank: 1, worldSize: 2 }]);
    expect(trace.threads).toMatchObject([{ tid: 100, name: 'python', process: 0 }]);
    expect(trace.gpus.map(({ model }) => model)).toEqual(['A100', 'A100']);
    // What stands on rows of the GPU, or of the profiler itself, is on no thread.
    const loose = Array.from(range.columns.thread, (thread, row) => [
      thread,
      namesOf(trace, 'range')[row],
    ]);
    expect(loose.filter(([thread]) => thread === -1).map(([, name]) => name)).toEqual([
      'PyTorch Profiler (0)',
      'ProfilerStep#3',
    ]);
    expect(Array.from(range.columns.value ?? [])).toContain(512);
    expect(trace.meta).toMatchObject({
      lengthNs: 1_000_000,
      beginUnixNs: 1_712_195_495_406_752_000n,
    });
  });

  test('says of what it lacks why', () => {
    const { off_cpu, cuda_call, gap } = trace.tables;
    expect(off_cpu.provenance.note).toContain('does not record what the scheduler does');
    expect(cuda_call.columnProvenance.offCpuNs?.kind).toBe('absent');
    expect(gap.provenance.note).not.toBe('');
  });

  test('gives calls the ranges that they were made in as their stack', () => {
    const at = (ts: number, dur: number, cat: string, name: string) => ({
      ...{ ph: 'X', pid: 100, tid: 100, ts: 1_712_195_495_406_752 + ts, dur, cat, name },
    });
    const { tables, stacks } = imported(
      JSON.stringify({
        ...smallBeside,
        traceEvents: [
          ...smallEvents,
          at(5, 600, 'python_function', 'train.py(62): <module>'),
          at(440, 15, 'python_function', '<built-in method add of Tensor object at 0x7f00>'),
        ],
      }),
    );
    const called = Array.from(tables.cuda_call.columns.stack ?? [], (stack) => {
      const frames: string[] = [];
      for (let each = stack; each >= 0; each = stacks.prefix[each]) {
        const { symbol, file, line } = frameAt(stacks, stacks.frame[each]);
        frames.push(file === undefined ? symbol : `${symbol} ${file}:${line}`);
      }
      return frames;
    });
    expect(called).toEqual([
      ['aten::to', '<module> train.py:62'],
      ['<built-in method add of Tensor>', '<module> train.py:62'],
      ['<module> train.py:62'],
    ]);
  });

  test('gives calls the size and way of the work that they submitted', () => {
    const { cuda_call: calls } = fillSubmissions(joinSubmissions(trace)).tables;
    expect(Array.from(calls.columns.bytes ?? [])).toEqual([4096, -1, 64]);
    expect(Array.from(calls.columns.direction ?? [])).toEqual([1, 0, 0]);
    expect(Array.from(calls.columns.stream ?? [])).toEqual([0, 0, 0]);
  });

  test('ends with its events, not when the profiler had written them', () => {
    const end = { ph: 'i', s: 'g', name: 'Record Window End', pid: 'Traces', tid: 'Trace' };
    const late = { ...end, ts: 1_712_195_495_906_752 };
    const text = JSON.stringify({ ...smallBeside, traceEvents: [...smallEvents, late] });
    expect(imported(text).meta.lengthNs).toBe(trace.meta.lengthNs);
  });

  test('keeps nothing of what stands beside the events but what is named', () => {
    const all = JSON.stringify(trace, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(all).toContain('A100');
    expect(all).not.toContain('secret-user');
  });

  test.each([1, 2, 3, 61])('is the same in parts of %d bytes', (partBytes) => {
    expect(imported(smallKineto, partBytes)).toEqual(trace);
  });

  test('is the same with all names of 2021, and with threads as texts', () => {
    const old: Record<string, string> = {
      cuda_runtime: 'Runtime',
      kernel: 'Kernel',
      gpu_memcpy: 'Memcpy',
      gpu_memset: 'Memset',
    };
    const events = smallEvents.map((event) => {
      const { cat, tid, pid, ...rest } = event as { cat?: string; tid: unknown; pid: unknown };
      const isGpu = pid === 1;
      return {
        ...rest,
        pid,
        tid: isGpu ? `stream ${tid}` : String(tid),
        cat: old[cat ?? ''] ?? cat,
      };
    });
    const of2021 = imported(JSON.stringify({ ...smallBeside, traceEvents: events }));
    expect(of2021.tables.gpu_work).toEqual(trace.tables.gpu_work);
    expect(of2021.tables.cuda_call).toEqual(trace.tables.cuda_call);
    expect(of2021.streams).toEqual(trace.streams);
  });
});

describe('times', () => {
  test('are exact where a float is not, and begin where the file says', () => {
    const text = smallKineto
      .replace('"ts": 1712195495406852,', '"ts": 1712195495406852,')
      .replace(/\}$/, ', "baseTimeNanoseconds": 1759300074000000001}')
      .replace('"ts": 1712195495407252,', '"ts": 1712195495407252.7896,');
    const { meta, tables } = imported(text);
    expect(meta.beginUnixNs).toBe(1_712_195_495_406_752_000n + 1_759_300_074_000_000_001n);
    expect(Array.from(tables.gpu_work.columns.startNs)).toContain(500_790);
  });

  test.each(['0', '1e300', '-5', '"x"', 'null', 'NaN'])('of %s move nothing else', (ts) => {
    const trace = imported(smallKineto.replace('"ts": 1712195495407202,', `"ts": ${ts},`));
    expect(trace.tables.cuda_call.rows).toBe(2);
    expect(trace.meta.lengthNs).toBe(1_000_000);
    expect(warnings(trace)).toEqual([expect.stringMatching(/^1 event was left out/)]);
  });
});

describe('a damaged file', () => {
  const whole = imported(smallKineto);
  const expectSame = (trace: Trace) => {
    expect(trace.tables.gpu_work).toEqual(whole.tables.gpu_work);
    expect(trace.tables.cuda_call).toEqual(whole.tables.cuda_call);
    expect(trace.tables.range.rows).toBe(whole.tables.range.rows);
  };

  test.each([
    ['inf', '1.5', 'inf'],
    ['-inf', '1.5', '-inf'],
    ['NaN', '1.5', 'NaN'],
    ['a comma too many', /\}\s*\]\s*\}$/, '},]}'],
    ['a path of Windows', '"secret-user"', '"C:\\Users\\new\\x"'],
  ] as const)('with %s is read as it is meant', (_, from, to) => {
    const text = smallKineto.replace(from, to);
    expect(text).not.toBe(smallKineto);
    const trace = imported(text);
    expectSame(trace);
    expect(warnings(trace)).toEqual([]);
  });

  test.each([
    ['quotes', 'lib = Library("x")aten::to'],
    ['quotes and commas', 'f("a", "b"): aten::to'],
    ['a line break', 'aten::to\nmore'],
    ['control characters', 'a\x01\x02'],
    ['an odd quote', 'a"b'],
  ])('with %s in a name is repaired', (_, name) => {
    for (const partBytes of [5, 2 ** 18]) {
      const trace = imported(smallKineto.replace('"aten::to"', `"${name}"`), partBytes);
      expectSame(trace);
      expect(namesOf(trace, 'range')).toContain(name);
      expect(warnings(trace)).toEqual([]);
      expect(trace.notices[0]?.text).toMatch(/^1 event was repaired/);
    }
  });

  test('loses only the event that cannot be told', () => {
    const text = smallKineto.replace('"ts": 1712195495407072', '"ts": 17, x "ts": 18');
    const trace = imported(text);
    expect(trace.tables.range.rows).toBe(whole.tables.range.rows - 1);
    for (const table of ['cuda_call', 'gpu_work'] as const)
      expect(namesOf(trace, table)).toEqual(namesOf(whole, table));
    expect(warnings(trace)).toEqual([
      expect.stringMatching(/^1 piece of the file could not be read/),
    ]);
  });

  test('that is cut off keeps what comes before, and says so', () => {
    const trace = imported(smallKineto.slice(0, smallKineto.indexOf('"void add')));
    expect(trace.tables.gpu_work.rows).toBe(1);
    expect(warnings(trace)[0]).toContain('ends in the middle of its events');
    // Events are not in the order of time: what is missing may be of any moment.
    expect(trace.tables.gpu_work.provenance.kind).toBe('partial');
    expect(whole.tables.gpu_work.provenance.kind).toBe('exact');
  });

  test('of events alone is one', () => {
    expectSame(imported(JSON.stringify(smallEvents)));
  });

  test.each([
    ['{"schemaVersion": 1, "traceEvents": [', 'file-truncated'],
    ['{"schemaVersion": 1, "traceEvents": []}', 'file-no-events'],
    ['{"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": "?"}]}', 'file-damaged'],
    ['{"schemaVersion": 1, "traceEvents": [{"ph": ]}', 'file-damaged'],
    ['{"schemaVersion": 1, "traceEvents": 5}', 'file-no-events'],
  ])('%s is refused: %s', (content, code) => {
    const result = kinetoImporter.importTrace(sourceOf(content), context);
    expect(result).toMatchObject({ ok: false, error: { code } });
  });
});
