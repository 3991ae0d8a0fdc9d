import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuLabel } from '../../../shared/model/hosts.ts';
import { lostTable } from '../../../shared/model/lost-table.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { openSource } from '../../source/trace-source.ts';
import { createStatements } from './create.ts';
import { stalltraceImporter } from './importer.ts';
import { APPLICATION_ID, FORMAT_VERSION } from './schema.ts';

let folder = '';
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-importer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const smallest = `
  INSERT INTO meta VALUES ('begin_unix_ns', 1700000000123456789), ('finished_ns', 1000);
  INSERT INTO process (id, pid, name, role) VALUES (7, 100, 'python3', 'main');
  INSERT INTO thread (id, process_id, tid, name, role) VALUES (70, 7, 100, 'python3', 'main');
  INSERT INTO name VALUES (5, 'CUDA', 'cudaMemcpyAsync'), (6, 'CUDA', 'cudaLaunchKernel');
  INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer)
    VALUES (500, 100, 70, 5, 1), (100, 50, 70, 6, 1);`;

/** Imports a file of the smallest contents, then `sql`. */
function importFile(
  sql: string,
  version = FORMAT_VERSION,
  contents = smallest,
  ddl = createStatements(),
) {
  const path = join(folder, `${files++}.db`);
  const writer = new DatabaseSync(path);
  writer.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version}`);
  for (const statement of ddl) writer.exec(statement);
  writer.exec(contents + sql);
  writer.close();
  const opened = openSource(path, folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const source = opened.value;
  try {
    return stalltraceImporter.importTrace(source, { fileName: 'trace.db', progress() {} });
  } finally {
    source.close();
  }
}

function importTrace(sql: string, version = FORMAT_VERSION): Trace {
  const result = importFile(sql, version);
  if (!result.ok) throw new Error(`${result.error.message} ${result.error.detail}`);
  return result.value;
}

const warnings = (trace: Trace) => trace.notices.map(({ text }) => text).join('\n');

describe('stalltraceImporter', () => {
  test('makes one of a name that the file holds twice', () => {
    const trace = importTrace(`
      INSERT INTO name VALUES (7, 'CUDA', 'cudaMemcpyAsync'), (8, 'DRIVER', 'cudaMemcpyAsync');
      UPDATE cuda_call SET op_id = 7 WHERE op_id = 6;
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer) VALUES (800, 1, 70, 8, 1)`);
    const ops = [...trace.tables.cuda_call.columns.op];
    expect(ops.map((op) => `${trace.nameSources[op]} ${trace.names[op]}`)).toEqual([
      'CUDA cudaMemcpyAsync',
      'CUDA cudaMemcpyAsync',
      'DRIVER cudaMemcpyAsync',
    ]);
    expect(new Set(ops).size).toBe(2);
    expect(trace.names).toEqual(['cudaMemcpyAsync', 'cudaLaunchKernel', 'cudaMemcpyAsync']);
  });

  test('names the agent in full, of which Linux kept 15 characters', () => {
    const named = (name: string) =>
      importTrace(`UPDATE process SET name = '${name}'; UPDATE thread SET name = '${name}'`);
    const { processes, threads } = named('stalltrace-agen');
    expect([processes[0]?.name, threads[0]?.name]).toEqual([
      'stalltrace-agent',
      'stalltrace-agent',
    ]);
    expect(named('stalltrace-other').processes[0]?.name).toBe('stalltrace-other');
  });

  test('reads the versions of Python packages', () => {
    const versions = (packages: string) =>
      importTrace(`INSERT INTO meta VALUES ('packages', '${packages}')`).meta.packages;
    expect(versions('{"torch":"2.4.0+cu121","numpy":7}')).toEqual({ torch: '2.4.0+cu121' });
    for (const packages of ['', '[]', '{"torch":', '{}', '{"torch":null}'])
      expect(versions(packages), packages).toBeUndefined();
  });

  test('reads the words that the agent was started with, where they are all there', () => {
    const read = (options: string) =>
      importTrace(`INSERT INTO meta VALUES ('options', '${options}')`).meta.agentArguments;
    expect(read('{"arguments":["--","python","a b"],"arguments_cut":false}')).toEqual([
      ...['--', 'python', 'a b'],
    ]);
    for (const options of [
      '{"arguments":["--","python"],"arguments_cut":true}',
      '{"arguments":["--",7],"arguments_cut":false}',
      `{"arguments":["${'x'.repeat(9_000)}"],"arguments_cut":false}`,
      ...['{"arguments":"--all"}', 'null', '[', ''],
    ])
      expect(read(options), options.slice(0, 60)).toBeUndefined();
  });

  test('reads the smallest file: ids become positions, rows are sorted by start', () => {
    const trace = importTrace('');
    const { columns, rows } = trace.tables.cuda_call;
    expect(rows).toBe(2);
    expect([...columns.startNs]).toEqual([100, 500]);
    expect([...columns.op]).toEqual([1, 0]);
    expect([...columns.thread]).toEqual([0, 0]);
    expect([...(columns.bytes ?? [])]).toEqual([-1, -1]);
    expect(trace.meta).toMatchObject({ beginUnixNs: 1700000000123456789n, lengthNs: 600 });
    expect(trace.meta.agentArguments).toBeUndefined();
    expect(trace.notices).toEqual([]);
    expect(trace.tables.off_cpu.provenance.kind).toBe('partial');
  });

  test('opens a capture that was killed, and says so', () => {
    expect(warnings(importTrace("DELETE FROM meta WHERE key = 'finished_ns'"))).toContain(
      'ended without being finished',
    );
  });

  test('opens what a recorder wrote to its log before it was killed', () => {
    const [recorded, found] = [join(folder, 'recorded.db'), join(folder, 'found.db')];
    const recorder = new DatabaseSync(recorded);
    recorder.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
    recorder.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    for (const statement of createStatements()) recorder.exec(statement);
    recorder.exec(`BEGIN; ${smallest} DELETE FROM meta WHERE key = 'finished_ns'; COMMIT`);
    recorder.exec('BEGIN; INSERT INTO cuda_call (start_ns) VALUES (1)');
    // Neither checkpointed nor closed: as kill -9 leaves it.
    for (const suffix of ['', '-wal']) copyFileSync(recorded + suffix, found + suffix);
    recorder.close();
    const opened = openSource(found, folder);
    if (!opened.ok) throw new Error(opened.error.message);
    const source = opened.value;
    const trace = stalltraceImporter.importTrace(source, { fileName: 'found.db', progress() {} });
    source.close();
    expect(trace.ok && trace.value.tables.cuda_call.rows).toBe(2);
    expect(trace.ok && warnings(trace.value)).toContain('ended without being finished');
  });

  test('takes the begin as decimal text, and says when it is missing', () => {
    const set = "UPDATE meta SET value = '1700000000123456789' WHERE key = 'begin_unix_ns'";
    expect(importTrace(set).meta.beginUnixNs).toBe(1700000000123456789n);
    expect(warnings(importTrace("DELETE FROM meta WHERE key = 'begin_unix_ns'"))).toContain(
      'does not say when',
    );
  });

  test('leaves out rows with cells of a wrong type and counts them', () => {
    const trace = importTrace(`
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer, bytes) VALUES
        ('soon', 1, 70, 5, 1, 1), (1, x'00', 70, 5, 1, 1), (-5, 1, 70, 5, 1, 1), (1, -1, 70, 5, 1, 1),
        (1.5, 1, 70, 5, 1, 1), (NULL, 1, 70, 5, 1, 1), (1, 1, 70, 5, 1, 'big'),
        (9007199254740991, 9, 70, 5, 1, 1), (9223372036854775807, 1, 70, 5, 1, 1), (1, 1, 70, 5, -1, 1)`);
    expect(trace.tables.cuda_call.rows).toBe(2);
    expect(warnings(trace)).toContain('10 of cuda_call');
  });

  test('keeps raw 64-bit values beyond 2^53 as the nearest float', () => {
    const trace = importTrace(`
      INSERT INTO off_cpu (start_ns, duration_ns, thread_id, syscall_arg0)
        VALUES (1, 2, 70, 9223372036854775807), (2, 2, 70, -100)`);
    expect([...(trace.tables.off_cpu.columns.syscallArg0 ?? [])]).toEqual([2 ** 63, -100]);
  });

  test('shows references to nothing as not known and counts them', () => {
    const trace = importTrace(`
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer, stack_id)
        VALUES (900, 1, 71, 99, 1, 3);
      INSERT INTO thread (id, process_id, tid) VALUES (80, 9, 4);
      INSERT INTO sample (start_ns, metric_id, gpu_id, value) VALUES (1, 5, 4, 1), (1, 5, NULL, 2)`);
    const { op, thread, stack } = trace.tables.cuda_call.columns;
    expect([trace.names[op[2] ?? 0], thread[2], stack?.[2]]).toEqual(['(not known)', -1, -1]);
    expect(trace.processes[trace.threads[1]?.process ?? 0]?.name).toBe('(not known)');
    expect([...trace.tables.sample.columns.value]).toEqual([2]);
    expect(warnings(trace)).toContain('4 references');
  });

  test('reads codes of the future as not known', () => {
    const trace = importTrace(`
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer, direction)
        VALUES (900, 1, 70, 5, 77, 77)`);
    const { layer, direction } = trace.tables.cuda_call.columns;
    expect([layer[2], direction?.[2]]).toEqual([0, 6]);
  });

  test('reads what CUPTI tells of the GPU, and takes NULL for not known', () => {
    const { gpu_work: work } = importTrace(`
      INSERT INTO gpu_work (start_ns, duration_ns, op_id, kind, process_id, source_memory,
        destination_memory, correlation, grid_x, block_x, graph, node)
      VALUES (1, 2, 5, 2, 7, 4, 5, 4294967295, NULL, NULL, NULL, NULL),
        (2, 2, 5, 9, 8, NULL, NULL, NULL, 2147483647, 1024, 3, 12884901889)`).tables;
    const cells = Object.entries(work.columns).map(([name, column]) => [name, [...column]]);
    expect(Object.fromEntries(cells)).toMatchObject({
      kind: [2, 0],
      process: [0, -1],
      sourceMemory: [4, 0],
      destinationMemory: [5, 0],
      correlation: [4294967295, 0],
      gridX: [-1, 2147483647],
      blockX: [-1, 1024],
      graph: [0, 3],
      node: [-1, 12884901889],
    });
  });

  test('resolves parents written after their calls, and none that do not enclose them', () => {
    const trace = importTrace(`
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer, call_id, parent_call_id)
        VALUES (910, 5, 70, 5, 2, NULL, 900000000000), (900, 20, 70, 5, 1, 900000000000, NULL),
          (2000, 5, 70, 5, 2, 3, 3), (3000, 5, 70, 5, 2, NULL, 3), (4000, 5, 70, 5, 2, NULL, 88)`);
    expect([...(trace.tables.cuda_call.columns.parent ?? [])]).toEqual([-1, -1, -1, 2, -1, -1, -1]);
  });

  test('resolves parents of ranges too, and no circle of them', () => {
    const { range } = importTrace(`
      INSERT INTO range (start_ns, duration_ns, thread_id, op_id, category_id, range_id,
        parent_range_id, end_thread_id, value, domain_id)
      VALUES (10, 5, 70, 5, 6, NULL, 9, 70, -2.5, 5), (0, 20, 70, 5, 6, 9, NULL, NULL, NULL, NULL),
        (30, 5, 70, 5, 6, 3, 4, NULL, NULL, NULL), (30, 5, 70, 5, 6, 4, 3, NULL, NULL, NULL)`).tables;
    const { parent, endThread, value, domain } = range.columns;
    expect([...(parent ?? [])]).toEqual([-1, 0, -1, 2]);
    expect([endThread?.[1], value?.[1], domain?.[1]]).toEqual([0, -2.5, 0]);
    expect([endThread?.[0], value?.[0], domain?.[0]]).toEqual([-1, -Infinity, -1]);
  });

  test('opens what version 0 called otherwise', () => {
    const trace = importTrace(
      `ALTER TABLE range RENAME TO annotation; ALTER TABLE host RENAME TO machine;
      ALTER TABLE machine DROP COLUMN hostname; INSERT INTO machine (os) VALUES ('Debian');
      INSERT INTO annotation (start_ns, duration_ns, thread_id, op_id, category_id)
        VALUES (10, 5, 70, 5, 6);
      INSERT INTO provenance (table_name, column_name, kind, note)
        VALUES ('annotation', '', 'sampled', 'some');
      INSERT INTO name VALUES (9, 'LOST', 'annotation');
      INSERT INTO gap (start_ns, duration_ns, lost, op_id) VALUES (1, 2, 3, 9)`,
      0,
    );
    expect(trace.hosts).toEqual([{ os: 'Debian' }]);
    expect(trace.tables.range).toMatchObject({ rows: 1, provenance: { note: 'some' } });
    expect(lostTable(trace, trace.tables.gap.columns.op[0] ?? -1)).toBe('range');
  });

  test('cuts circles of parent processes', () => {
    const { processes } = importTrace(`
      UPDATE process SET parent_id = 8;
      INSERT INTO process (id, pid, parent_id) VALUES (8, 1, 9), (9, 2, 7), (10, 3, 7)`);
    for (const start of processes) {
      let steps = 0;
      for (let at = start.parent; at !== -1; at = processes[at]?.parent ?? -1) steps++;
      expect(steps).toBeLessThan(processes.length);
    }
  });

  test('cuts and cleans texts', () => {
    const trace = importTrace(`INSERT INTO name (id, text) VALUES
      (8, 'a' || char(0x202e) || 'b'), (9, hex(zeroblob(100000))), (10, x'ff'), (NULL, 'ok')`);
    expect(trace.names[2]).toBe('a\ufffdb');
    expect(trace.names[3]).toHaveLength(1024);
    expect(warnings(trace)).toContain('1 of other tables');
  });

  test('leaves out columns that are absent, and tables', () => {
    const trace = importTrace(`
      INSERT INTO provenance (table_name, column_name, kind, note) VALUES
        ('cuda_call', 'stream_id', 'absent', 'no streams here'), ('cuda_call', '', 'exact', ''),
        ('off_cpu', '', 'absent', 'no rights'), ('toString', '', 'exact', ''), ('wakeup', '', 'nonsense', '')`);
    expect(trace.tables.cuda_call.columns.stream).toBeUndefined();
    expect(trace.tables.cuda_call.columnProvenance).toEqual({
      stream: { kind: 'absent', note: 'no streams here' },
    });
    expect(trace.tables.off_cpu.provenance).toEqual({ kind: 'absent', note: 'no rights' });
    expect(trace.tables.wakeup.provenance.kind).toBe('partial');
  });

  test('takes names of files for looked up where their agent does not say that it proved them', () => {
    const fileOf = (recorder: string, more = '') =>
      importTrace(`INSERT INTO meta VALUES ('recorder', '${recorder}'); ${more}`).tables.off_cpu
        .columnProvenance.file?.kind;
    const said = `INSERT INTO provenance (table_name, column_name, kind, note)
      VALUES ('off_cpu', 'file_id', 'partial', '')`;
    expect(fileOf('Stalltrace agent 0.1.0')).toBe('inferred');
    expect(fileOf('Stalltrace agent 0.1.0', said)).toBe('partial');
    expect(fileOf('another')).toBeUndefined();
  });

  test('reads hosts and what they have; what names none is of the first', () => {
    const trace = importTrace(`
      INSERT INTO host (id, hostname) VALUES (4, 'node1'), (9, 'node2');
      INSERT INTO job VALUES (2, 'train');
      INSERT INTO clock VALUES (1, 9, -250, 40), (2, 9, 'now', 1);
      INSERT INTO clock_reading VALUES (1, 5, 6, 7, 8, 1700000000123456789);
      INSERT INTO cpu (id, host_id, number) VALUES (0, 4, NULL), (64, 9, 0);
      INSERT INTO gpu (id, host_id, uuid, model) VALUES (0, NULL, NULL, 'A'), (1, 9, 'GPU-1', 'B');
      INSERT INTO process (id, pid, namespace_pid, host_id, job_id) VALUES (8, NULL, 96, 9, 2),
        (10, 96, 1, 5, 7);
      INSERT INTO context (id, process_id, gpu_id) VALUES (3, 8, 1), (4, 99, NULL);
      INSERT INTO stream (id, name, context_id) VALUES (1, 'stream 7', 3), (2, 'stream 8', 9)`);
    expect(trace.hosts).toEqual([{ hostname: 'node1' }, { hostname: 'node2' }, {}]);
    expect(trace.jobs).toEqual([{ name: 'train' }]);
    expect(trace.clocks).toEqual([
      {
        host: 1,
        offsetNs: -250,
        uncertaintyNs: 40,
        readings: [
          { startNs: 5, monotonicNs: 6n, bootNs: 7n, rawNs: 8n, realNs: 1700000000123456789n },
        ],
      },
    ]);
    expect(cpuLabel(trace, 0)).toBe('CPU 0 · node1');
    expect(cpuLabel(trace, 64)).toBe('CPU 0 · node2');
    expect(trace.gpus).toEqual([{ model: 'A' }, { host: 1, model: 'B', uuid: 'GPU-1' }]);
    expect(trace.processes).toMatchObject([
      { pid: 100 },
      { pid: 96, namespaced: true, host: 1, job: 0 },
      { pid: 96, namespacePid: 1, host: 2 },
    ]);
    expect(trace.contexts).toEqual([
      { process: 1, gpu: 1 },
      { process: -1, gpu: -1 },
    ]);
    expect(trace.streams).toEqual([
      { name: 'stream 7', context: 0 },
      { name: 'stream 8', context: -1 },
    ]);
    expect(warnings(trace)).toContain('1 of other tables');
  });

  test('opens a newer version where it knows its tables', () => {
    const trace = importTrace(
      'ALTER TABLE cuda_call ADD COLUMN mood TEXT; CREATE TABLE later (x)',
      3,
    );
    expect(trace.meta.version).toBe('3');
    expect(warnings(trace)).toContain('version 3');
  });

  test('names the version it needs where it does not', () => {
    const tooNew = { ok: false, error: { code: 'file-too-new' } };
    const renamed = importFile('ALTER TABLE cuda_call RENAME COLUMN start_ns TO begin_ns', 3);
    expect(renamed).toMatchObject(tooNew);
    expect(renamed.ok || renamed.error.message).toContain('version 3');
    const needs = importFile("INSERT INTO meta VALUES ('reader_needs', 2)", 2);
    expect(needs).toMatchObject(tooNew);
    expect(importFile('DROP TABLE thread')).toMatchObject({ error: { code: 'file-damaged' } });
  });

  test('says when nothing was recorded', () => {
    expect(importFile('DELETE FROM cuda_call')).toMatchObject({
      error: { code: 'file-no-events' },
    });
  });

  describe('of which every row was rejected', () => {
    const damaged = 'UPDATE cuda_call SET start_ns = -start_ns;';
    const sample = 'INSERT INTO sample (start_ns, metric_id, value) VALUES (5, 6, 93);';

    test.each([
      ['all starts are negative', damaged],
      ['and only readings of the machine are left', damaged + sample],
    ])('is refused with their number where %s', (_, sql) => {
      const result = importFile(sql);
      expect(result).toMatchObject({ error: { code: 'file-damaged' } });
      expect(result.ok || result.error.message).toContain('in all 2 rows that should say');
    });

    test('opens with a warning where one is left', () => {
      const trace = importTrace('UPDATE cuda_call SET start_ns = -5 WHERE start_ns = 100;');
      expect(trace.tables.cuda_call.rows).toBe(1);
      expect(warnings(trace)).toContain('1 of cuda_call');
    });

    test('opens where nothing but readings was recorded', () => {
      expect(importTrace(`DELETE FROM cuda_call; ${sample}`).tables.sample.rows).toBe(1);
    });

    test('is refused where those readings are damaged', () => {
      const sql = `DELETE FROM cuda_call; ${sample} UPDATE sample SET start_ns = -5;`;
      const result = importFile(sql);
      expect(result).toMatchObject({ error: { code: 'file-damaged' } });
      expect(result.ok || result.error.message).toContain('in the only row');
    });
  });

  test('keeps names apart where there are more than 16 bits hold', () => {
    const trace = importTrace(`
      WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 70000)
        INSERT INTO name SELECT i, '', 'file ' || i FROM n;
      INSERT INTO name VALUES (80000, 'CUDA', 'cudaFree');
      INSERT INTO cuda_call (start_ns, duration_ns, thread_id, op_id, layer)
        VALUES (900, 1, 70, 80000, 1), (901, 1, 70, 69999, 1);
      INSERT INTO off_cpu (start_ns, duration_ns, thread_id, file_id) VALUES (1, 1, 70, 69999)`);
    const { op } = trace.tables.cuda_call.columns;
    expect([...op].map((name) => trace.names[name])).toEqual([
      'cudaLaunchKernel',
      'cudaMemcpyAsync',
      'cudaFree',
      'file 69999',
    ]);
    expect(trace.names[trace.tables.off_cpu.columns.file?.[0] ?? 0]).toBe('file 69999');
  });
});
