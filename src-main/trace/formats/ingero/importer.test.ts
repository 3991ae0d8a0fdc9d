import { describe, expect, test } from 'vitest';
import { BEGIN_UNIX_NS, type FixtureContent } from '../../../../test/fixtures/ingero/make.ts';
import { ingeroTrace, openIngero } from '../../../../test/fixtures/ingero/open.ts';
import { type Release, releaseNames, releases } from '../../../../test/fixtures/ingero/schemas.ts';
import { directions } from '../../../shared/model/codes.ts';
import { columnSpecs, tableNames } from '../../../shared/model/schema.ts';
import { framesOf } from '../../../shared/model/stacks.ts';

const imported = (release: Release, content?: FixtureContent) => ingeroTrace(content, release);

const MS = 1_000_000;

describe.each(releaseNames)('an Ingero %s file', (release) => {
  const traits = releases[release];

  test('gives each kind of event its table', () => {
    const { tables } = imported(release);
    expect(Object.fromEntries(tableNames.map((table) => [table, tables[table].rows]))).toEqual({
      cuda_call: traits.recordsGraphs ? 6 : 5,
      gpu_work: 0,
      off_cpu: 1,
      on_cpu: 0,
      wakeup: 1,
      page_fault: 0,
      page_alloc: 1,
      block_io: 1,
      syscall: 1,
      process_event: 3,
      cpu_sample: 0,
      range: 2,
      sample: 0,
      aggregate: traits.recordsSummaries ? 2 : 0,
      gap: 0,
      connection: 0,
    });
  });

  test('takes host, I/O and socket time stamps for ends', () => {
    const { tables, meta } = imported(release);
    expect(meta.beginUnixNs).toBe(BEGIN_UNIX_NS);
    expect([...tables.cuda_call.columns.startNs].slice(0, 2)).toEqual([10 * MS, 10 * MS + 1000]);
    expect([...tables.off_cpu.columns.startNs]).toEqual([36 * MS]);
    expect([...tables.block_io.columns.startNs]).toEqual([58 * MS]);
    expect([...(tables.block_io.columns.bytes ?? [])]).toEqual([4096]);
    expect([...tables.syscall.columns.startNs]).toEqual([61 * MS]);
  });

  test('names operations, also those the file does not', () => {
    const { names, nameSources } = imported(release);
    const named = names.map((name, index) => `${nameSources[index]}:${name}`);
    expect(named).toContain('CUDA:cudaMemcpyAsync');
    expect(named).toContain('source 12:source 12 op 3');
    if (traits.recordsGraphs) expect(named).toContain('CUDA_GRAPH:graphLaunch');
  });

  test('tells processes and threads apart', () => {
    const { processes, threads } = imported(release);
    const processOf = (tid: number) =>
      processes[threads.find((thread) => thread.tid === tid)?.process ?? -1]?.pid;
    expect([processOf(100), processOf(200), processOf(201)]).toEqual([100, 200, 100]);
    const worker = processes.find(({ pid }) => pid === 200);
    expect(processes[worker?.parent ?? -1]?.pid).toBe(100);
    expect(worker?.startNs).toBe(32 * MS);
    expect(threads.find(({ tid }) => tid === 201)?.endNs).toBe(50 * MS);
  });

  test('knows streams and previous threads only where they are recorded', () => {
    const { tables, streams } = imported(release);
    const { stream } = tables.cuda_call.columns;
    expect(stream?.[3]).toBe(
      traits.recordsStreams ? streams.findIndex(({ name }) => name === 'stream 0x55aa0000') : -1,
    );
    expect('previousThread' in tables.off_cpu.columns).toBe(traits.recordsPrevious);
    expect(tables.off_cpu.columnProvenance.previousThread?.kind).toBe(
      traits.recordsPrevious ? undefined : 'absent',
    );
  });

  test('says for every missing column why', () => {
    const { tables } = imported(release);
    for (const name of tableNames) {
      for (const [column, { refersTo }] of columnSpecs(name)) {
        // A row that names no host is of the only one.
        if (column in tables[name].columns || refersTo === 'host') continue;
        expect(tables[name].columnProvenance[column]).toMatchObject({ kind: 'absent' });
      }
    }
  });
});

describe('the Ingero importer', () => {
  test('reads sizes, directions and the enclosing runtime call', () => {
    const { cuda_call } = imported('0.8.1').tables;
    expect([...(cuda_call.columns.bytes ?? [])]).toEqual([4096, 4096, 1 << 20, -1, -1]);
    const directionNames = [...(cuda_call.columns.direction ?? [])].map((code) => directions[code]);
    expect(directionNames).toEqual(['none', 'none', 'H2D', 'none', 'none']);
    expect([...(cuda_call.columns.parent ?? [])]).toEqual([-1, 0, -1, -1, -1]);
  });

  test('lasts as long as its session where it has sums only', () => {
    const sum = { pid: 100, source: 1, op: 3, count: 5, totalNs: 5 };
    const sums = [0, 1, 2].map((minute) => ({ ...sum, minute }));
    const session = (fromS: number, toS: number) => `INSERT INTO sessions (started_at, stopped_at)
      VALUES (${BEGIN_UNIX_NS} + ${fromS}e9, ${toS === 0 ? 0 : `${BEGIN_UNIX_NS} + ${toS}e9`});`;
    const range = (sql: string) => {
      const { meta, tables } = ingeroTrace({ events: [], sums, withSession: false, sql });
      const beginS = Number(meta.beginUnixNs - BEGIN_UNIX_NS) / 1e9;
      return [beginS, meta.lengthNs / 1e9, Math.min(...tables.aggregate.columns.startNs) / 1e9];
    };
    expect(range(session(40, 170))).toEqual([40, 130, -40]);
    expect(range(session(40, 220))).toEqual([40, 180, -40]);
    expect(range(session(40, 0))).toEqual([40, 140, -40]);
    expect(range(session(40, 50) + session(60, 150))).toEqual([40, 110, -40]);
    expect(range('')).toEqual([0, 180, 0]);
  });

  test('takes 5 s sums for minutes that are complete there, the minute for the others', () => {
    const minute = BEGIN_UNIX_NS;
    const { aggregate } = imported('0.10.0', {
      sql: `INSERT INTO event_aggregates VALUES (${minute}, 3, 1, 100, 10, 4, 50, 1, 9, 0);
        INSERT INTO event_aggregates_5s VALUES (${minute}, 3, 1, 100, 7, 2, 30, 1, 9, 0),
          (${minute + 5_000_000_000n}, 3, 1, 100, 3, 2, 20, 1, 9, 0);
        INSERT INTO event_aggregates VALUES (${minute}, 3, 3, 200, 10, 0, 0, 0, 0, 40960);
        INSERT INTO event_aggregates_5s VALUES (${minute}, 3, 3, 200, 1, 0, 0, 0, 0, 4096);`,
      events: [{ timestampNs: 40 * MS, pid: 100, source: 3, op: 1, durationNs: MS }],
    }).tables;
    const { count, durationNs, bytes, maxNs } = aggregate.columns;
    const rows = [...count].map((n, row) => [n, durationNs[row], bytes?.[row], maxNs?.[row]]);
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual([7, 5e9, -1, 9]);
    expect(rows).toContainEqual([3, 5e9, -1, 9]);
    expect(rows).toContainEqual([10, 60e9, 40960, -1]);
  });

  test('shows labels of 0.17 with their span', () => {
    const { tables, names } = imported('0.17.0', {
      sql: `INSERT INTO annotations (timestamp, labels, pid, span_start, span_end) VALUES
        (${BEGIN_UNIX_NS + 5n}, '{"step":"7","epoch":"1"}', 100, ${BEGIN_UNIX_NS + 1000n}, ${BEGIN_UNIX_NS + 3000n})`,
    });
    const { op, startNs, durationNs } = tables.range.columns;
    expect(names[op[0] ?? -1]).toBe('step=7, epoch=1');
    expect([startNs[0], durationNs[0]]).toEqual([1000, 2000]);
  });

  test('reads stacks by hash and those of files from before they were interned', () => {
    const { stacks, tables } = imported('0.8.1', {
      sql: `INSERT INTO stack_traces VALUES (-42, '', '[{"pf":"/a/train.py","pfn":"step","pl":3},{"s":"memcpy","f":"libc.so.6"}]')`,
      events: [
        { timestampNs: 1, pid: 1, source: 1, op: 7, stackHash: -42n },
        { timestampNs: 2, pid: 1, source: 1, op: 7, stackIps: '["0x7f01","0x7f02"]' },
      ],
    });
    const shown = Array.from(tables.cuda_call.columns.stack ?? [], (stack) =>
      framesOf(stacks, stack).map(({ symbol }) => symbol),
    );
    expect(shown).toEqual([
      ['memcpy', 'step'],
      ['0x7f01', '0x7f02'],
    ]);
  });

  test('folds repeated causal chains and keeps every occurrence', () => {
    const timeline = JSON.stringify([
      { layer: 'HOST', op: 'sched_switch', detail: '9 switches' },
      { layer: 'CUDA', op: 'cudaMalloc', detail: 'p99' },
    ]);
    const chain = (id: number, severity: string, seconds: number) =>
      `('c${id}', ${BEGIN_UNIX_NS + BigInt(seconds) * 1_000_000_000n}, '${severity}', 's${id}', 'r', 'e', '["do this"]', 'cudaMalloc', 90, 10, 9.0, '${timeline}')`;
    const { sourceFindings } = imported('0.8.1', {
      sql: `INSERT INTO causal_chains VALUES ${chain(1, 'MEDIUM', 3)}, ${chain(2, 'HIGH', 1)}, ${chain(3, 'HIGH', 2)}`,
    });
    expect(sourceFindings).toHaveLength(1);
    expect(sourceFindings[0]).toMatchObject({
      ops: ['cudaMalloc'],
      causes: ['HOST:sched_switch'],
      severity: 'HIGH',
      summary: 's3',
      recommendations: ['do this'],
    });
    expect(sourceFindings[0]?.occurrences.map(({ detectedNs }) => detectedNs)).toEqual([
      1e9, 2e9, 3e9,
    ]);
  });

  test('says when a file holds several recordings', () => {
    const { notices, hosts } = imported('0.8.1', {
      sql: `INSERT INTO sessions (started_at, cpu_cores) VALUES (${BEGIN_UNIX_NS + 99n}, 64)`,
    });
    expect(hosts[0]?.cpuCount).toBe(64);
    expect(notices.map(({ text }) => text).join()).toContain('2 recordings');
  });

  test('finds no events in a file without any', () => {
    const result = openIngero({ events: [] });
    expect(result.ok ? 'ok' : result.error.code).toBe('file-no-events');
  });
});
