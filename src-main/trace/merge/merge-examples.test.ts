import { describe, expect, test } from 'vitest';
import { buildTrace, type TracePlan } from '../../analysis/testing/build-trace.ts';
import { cpuLabel } from '../../shared/model/hosts.ts';
import { columnSpecs, NONE, referenceKinds, tableNames } from '../../shared/model/schema.ts';
import type { Notice, Provenance, SourceFinding, Trace } from '../../shared/model/trace.ts';
import { codeCount } from '../formats/stalltrace/schema.ts';
import type { MergeInput } from './merge-input.ts';
import { mergeTraces } from './merge-traces.ts';

const onHost = (hostname: string, plan: TracePlan, more: Partial<Trace> = {}): MergeInput => ({
  trace: { ...buildTrace({ ...plan, machine: { ...plan.machine, hostname } }), ...more },
  offsetNs: 0,
});

function merged(...inputs: readonly MergeInput[]): Trace {
  const result = mergeTraces(inputs);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

/** A process 96 with one call, as each of two hosts may have. */
const job: TracePlan = {
  processes: [{ pid: 96, name: 'python3' }],
  threads: [{ tid: 96, process: 0 }],
  names: [['CUDA', 'cudaMalloc']],
  rows: { cuda_call: [{ thread: 0, startNs: 10 }] },
};

describe('the schema', () => {
  /** Units of numbers that stay what they are, whatever a trace is merged with. */
  const plainUnits = new Set(
    `ns|bytes|count|cudaError_t or CUresult|correlation id|graph id|graph node id|TASK_* bits|
     system call number|raw|address|sector|file descriptor|inode|port|as the metric says|as its name says`
      .split('|')
      .map((unit) => unit.trim()),
  );
  const columns = tableNames.flatMap((table) =>
    columnSpecs(table).map(([name, spec]) => ({ column: `${table}.${name}`, spec })),
  );

  test('says of every column whether its numbers name something', () => {
    for (const { column, spec } of columns) {
      const isPlain = plainUnits.has(spec.unit) || codeCount(spec.unit) > 0;
      expect([column, isPlain]).toEqual([column, spec.refersTo === undefined]);
      if (spec.refersTo !== undefined) expect(referenceKinds).toContain(spec.refersTo);
    }
  });

  test('calls every time of a row a moment', () => {
    const times = columns.filter(({ spec }) => spec.isMoment === true);
    expect(times.map(({ column }) => column)).toEqual(
      tableNames.map((table) => `${table}.startNs`),
    );
  });

  test('can say of every column that may be missing that nothing is known', () => {
    for (const { column, spec } of columns) {
      if (spec.required === true) continue;
      const canSay = spec.none !== undefined || codeCount(spec.unit) > 0;
      expect([column, canSay]).toEqual([column, true]);
    }
  });
});

describe('entities', () => {
  test('of two hosts are never one', () => {
    const { hosts, processes, threads, tables } = merged(onHost('a', job), onHost('b', job));
    expect(hosts.map(({ hostname }) => hostname)).toEqual(['a', 'b']);
    expect(processes.map(({ pid, host = 0 }) => [pid, host])).toEqual([
      [96, 0],
      [96, 1],
    ]);
    expect(threads.map(({ process }) => process)).toEqual([0, 1]);
    expect([...tables.cuda_call.columns.thread]).toEqual([0, 1]);
  });

  test('CPUs of one number on two hosts are two, though no list has them', () => {
    const cpus: TracePlan = { rows: { on_cpu: [{ cpu: 3 }, { cpu: 0, startNs: 5 }] } };
    const all = merged(onHost('a', cpus), onHost('b', cpus));
    const { cpu, startNs } = all.tables.on_cpu.columns;
    expect([...cpu].map((id, row) => [cpuLabel(all, id), startNs[row]])).toEqual([
      ['CPU 3 · a', 0],
      ['CPU 3 · b', 0],
      ['CPU 0 · a', 5],
      ['CPU 0 · b', 5],
    ]);
  });

  test('names, stacks and jobs that are equal are there once', () => {
    const stacks = { stacks: [[{ symbol: 'main', language: 'native' as const }]] };
    const jobs = { jobs: [{ name: 'train' }] };
    const [a, b] = [
      onHost('a', { ...job, ...stacks }, jobs),
      onHost('b', { ...job, ...stacks }, jobs),
    ];
    const all = merged(a, b);
    expect(all.names).toEqual(['cudaMalloc']);
    expect(all.stacks.length).toBe(1);
    expect(all.jobs).toEqual([{ name: 'train' }]);
  });

  test('hosts of one name are told apart, hosts without one numbered', () => {
    const trace = buildTrace(job);
    const all = merged(onHost('gpu', job), onHost('gpu', job), { trace, offsetNs: 0 });
    expect(all.hosts).toEqual([{ hostname: 'gpu' }, { hostname: 'gpu (2)' }, {}]);
  });
});

describe('times', () => {
  test('are moved to the merged clock, from the earliest begin', () => {
    const late = onHost('b', job);
    const meta = { ...late.trace.meta, beginUnixNs: 1000n, lengthNs: 50 };
    const all = merged(
      { ...onHost('a', { ...job, lengthNs: 20 }), uncertaintyNs: 0 },
      { trace: { ...late.trace, meta }, offsetNs: -300, uncertaintyNs: 7 },
    );
    expect(all.meta).toMatchObject({ beginUnixNs: 0n, lengthNs: 750 });
    expect([...all.tables.cuda_call.columns.startNs]).toEqual([10, 710]);
    expect(all.clocks).toEqual([
      { offsetNs: 0, uncertaintyNs: 0, readings: [] },
      { host: 1, offsetNs: -300, uncertaintyNs: 7, readings: [] },
    ]);
  });

  test('a clock of which nothing is known says so', () => {
    const { clocks } = merged(onHost('a', job), onHost('b', job));
    expect(clocks.map(({ uncertaintyNs }) => uncertaintyNs)).toEqual([undefined, undefined]);
  });

  test('that are too far apart to be exact are refused', () => {
    const { trace } = onHost('b', job);
    const meta = { ...trace.meta, beginUnixNs: 2n ** 54n };
    const result = mergeTraces([onHost('a', job), { trace: { ...trace, meta }, offsetNs: 0 }]);
    expect(result.ok ? 'ok' : result.error.code).toBe('traces-far-apart');
  });
});

describe('what one host lacks', () => {
  test('a column is not known in its rows, and is said to be missing there', () => {
    const calls = {
      ...job,
      rows: { cuda_call: [{ thread: 0, bytes: 5, direction: 1, stream: NONE }] },
    };
    const { cuda_call } = merged(onHost('a', calls), onHost('b', job)).tables;
    const { bytes, direction, stream } = cuda_call.columns;
    expect([bytes?.[0], bytes?.[1], direction?.[0], direction?.[1], stream?.[1]]).toEqual([
      ...[5, -1, 1, 6, NONE],
    ]);
    expect(cuda_call.provenance).toEqual({ kind: 'exact', note: '' });
    expect(cuda_call.columnProvenance.bytes).toEqual({
      kind: 'partial',
      note: 'a: complete. b: none.',
    });
    expect(cuda_call.columnProvenance.returnCode).toBeUndefined();
  });

  test('a table is partial, with the reason of the host', () => {
    const absent: Provenance = { kind: 'absent', note: 'No tracepoints there.' };
    const { off_cpu } = merged(
      onHost('a', { ...job, rows: { off_cpu: [{ thread: 0, state: 1 }] } }),
      onHost('b', { ...job, provenance: { off_cpu: absent } }),
    ).tables;
    expect(off_cpu.provenance).toEqual({
      kind: 'partial',
      note: 'a: complete. b: none. No tracepoints there.',
    });
    expect(off_cpu.rows).toBe(1);
    expect(off_cpu.recordedAs.op).toBe('sched_switch');
  });

  test('a figure that two hosts say alike is that of each', () => {
    const partial: Provenance = { kind: 'partial', note: '600 calls are stored.' };
    const half = { ...job, provenance: { cuda_call: partial } };
    const notices: Notice[] = [{ level: 'info', text: '5 were lost.' }];
    const all = merged(onHost('a', half, { notices }), onHost('b', half, { notices }));
    expect(all.tables.cuda_call.provenance).toEqual({
      kind: 'partial',
      note: 'a, b, each: 600 calls are stored.',
    });
    expect(all.notices).toEqual([{ level: 'info', text: 'a, b, each: 5 were lost.' }]);
  });

  test('a rest of no known host lacks nothing', () => {
    const rest = { ...onHost('?', {}), isRest: true as const };
    const { cuda_call } = merged(onHost('a', job), rest).tables;
    expect(cuda_call.provenance).toEqual({ kind: 'exact', note: '' });
    expect(cuda_call.columnProvenance).toEqual({});
  });

  test('the least trusted says what the whole is', () => {
    const as = (kind: Provenance['kind'], note: string, everyNs?: number) =>
      onHost(kind, {
        ...job,
        provenance: { cuda_call: { kind, note, ...(everyNs !== undefined && { everyNs }) } },
      });
    const kindOf = (...inputs: MergeInput[]) => merged(...inputs).tables.cuda_call.provenance;
    expect(kindOf(as('exact', ''), as('partial', 'It pruned.'))).toEqual({
      kind: 'partial',
      note: 'exact: complete. partial: It pruned.',
    });
    expect(kindOf(as('exact', 'All.'), as('sampled', 'Some.', 5))).toMatchObject({
      kind: 'sampled',
      everyNs: 5,
    });
    expect(kindOf(as('absent', 'x'), as('absent', 'y')).kind).toBe('absent');
  });
});

describe('what recorders said', () => {
  const warning = (text: string): Notice => ({ level: 'warning', text });
  test('notices are said of the host they are of, those of all once', () => {
    const { notices } = merged(
      onHost('a', job, { notices: [warning('Both.'), warning('Lost 3.')] }),
      onHost('b', job, { notices: [warning('Both.')] }),
    );
    expect(notices).toEqual([warning('Both.'), warning('a: Lost 3.')]);
  });

  test('a capability that hosts differ in says how each has it', () => {
    const capability = (available: boolean, detail: string) => ({ name: 'bpf', available, detail });
    const { capabilities } = merged(
      onHost('a', job, { capabilities: [capability(true, '')] }),
      onHost('b', job, { capabilities: [capability(false, 'no root')] }),
    );
    expect(capabilities).toEqual([
      { name: 'bpf', available: true, detail: 'a: yes; b: no: no root' },
    ]);
  });

  test('findings name their host, and their moments move', () => {
    const finding = (severity: 'HIGH' | 'LOW'): SourceFinding => ({
      ...{ foundBy: 'x', ops: [], causes: [], severity, summary: '', explanation: '' },
      recommendations: [],
      occurrences: [{ op: '', detectedNs: 5, severity, p50Us: 0, p99Us: 0, detail: '' }],
    });
    const { sourceFindings } = merged(onHost('a', job, { sourceFindings: [finding('LOW')] }), {
      ...onHost('b', job, { sourceFindings: [finding('HIGH')] }),
      offsetNs: 100,
    });
    const told = sourceFindings.map(({ node, occurrences }) => [node, occurrences[0]?.detectedNs]);
    expect(told).toEqual([
      ['b', 105],
      ['a', 5],
    ]);
  });

  test('samples and gaps say their host', () => {
    const machine: TracePlan = {
      names: [['', 'CPU (%)']],
      rows: { sample: [{ value: 5 }], gap: [{ lost: 3 }] },
    };
    const { sample, gap } = merged(onHost('a', machine), onHost('b', machine)).tables;
    expect([...(sample.columns.host ?? [])]).toEqual([0, 1]);
    expect([...(gap.columns.host ?? [])]).toEqual([0, 1]);
  });
});
