import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readArchive } from '../../src-main/archive/read-archive.ts';
import { tableNames } from '../../src-main/shared/model/schema.ts';
import { framesOf } from '../../src-main/shared/model/stacks.ts';
import type { Trace } from '../../src-main/shared/model/trace.ts';
import { writeTraceFile } from '../../src-main/trace/formats/stalltrace/writer.ts';
import { importers } from '../../src-main/trace/importers.ts';
import { openTrace } from '../../src-main/trace/open-trace.ts';
import { root } from '../support/built.ts';
import { runCli } from '../support/run-cli.ts';

/** The bundled sample as the agent of version 0 wrote it. */
const recorded = join(root, 'test/fixtures/stalltrace/version-0.trace.db');
const sample = join(root, 'resources/sample/dataloader-starvation.trace.db');

let folder = '';
let trace: Trace;

function open(path: string): Trace {
  const opened = openTrace(path, { scratchDir: folder, importers, progress() {} });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-version-0-'));
  trace = open(recorded);
});
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * A trace but for its version, for columns that it says are absent, and for the numbers of its stacks: rows
 * have their frames instead. What the agent was called with is not in a file that is written anew.
 */
function contents({ meta, tables, stacks, ...rest }: Trace) {
  const { agentArguments: _, ...told } = meta;
  const bare = tableNames.map((name) => {
    const { columns, rows, provenance, recordedAs } = tables[name];
    const framed =
      'stack' in columns
        ? { ...columns, stack: Array.from(columns.stack, (row) => framesOf(stacks, row)) }
        : columns;
    return [name, { columns: framed, rows, provenance, recordedAs }];
  });
  return { ...rest, meta: { ...told, version: '' }, tables: Object.fromEntries(bare) };
}

describe('a file of version 0', () => {
  test('opens: the machine is the host, its clock is the trace’s', () => {
    expect(trace.meta.version).toBe('0');
    expect(trace.notices.filter(({ level }) => level === 'warning')).toEqual([]);
    expect(trace.hosts).toMatchObject([{ cpuCount: 2, kernel: expect.any(String) }]);
    expect(trace.cpus.map(({ id, number, host }) => [id, number, host])).toEqual([
      [0, 0, undefined],
      [1, 1, undefined],
    ]);
    expect(trace.clocks).toMatchObject([{ offsetNs: 0, uncertaintyNs: 0 }]);
    const [first, ...later] = trace.clocks[0]?.readings ?? [];
    expect(later.length).toBeGreaterThan(3);
    // The begin by the clock that dates it, to a second: the clock is read once the recording runs.
    const unixNs = (first?.realNs ?? 0n) - BigInt(first?.startNs ?? 0);
    expect(Number(unixNs - trace.meta.beginUnixNs) / 1e9).toBeCloseTo(0, 0);
    expect(trace.tables.range.provenance.note).toContain('Direct reclaim');
  });

  test('is the same once it is of version 1, and written again', () => {
    expect(open(sample).meta.version).toBe('1');
    expect(contents(open(sample))).toEqual(contents(trace));
    expect(open(sample).meta.agentArguments).toEqual(trace.meta.agentArguments);
    const again = join(folder, 'again.db');
    expect(writeTraceFile(again, trace).ok).toBe(true);
    expect(open(again).meta.version).toBe('1');
    expect(contents(open(again))).toEqual(contents(trace));
  });

  test('is the same file inside a .stalltrace archive, and opens from it', async () => {
    const archive = join(folder, 'old.stalltrace');
    const run = (...args: string[]) => {
      const { code, stdout, stderr } = runCli(args, folder);
      expect([code, stderr]).toEqual([0, '']);
      return stdout;
    };
    run('export', recorded, '--stalltrace', archive);
    const into = join(folder, 'into');
    mkdirSync(into);
    const { signal } = new AbortController();
    const read = await readArchive(archive, into, { signal, progress: () => undefined });
    if (!read.ok) throw new Error(read.error.message);
    expect(readFileSync(read.value.tracePath)).toEqual(readFileSync(recorded));
    expect(contents(open(read.value.tracePath))).toEqual(contents(trace));
    const told = (file: string) => {
      const { file: _, ...info } = JSON.parse(run('info', file, '--json'));
      return info;
    };
    expect(told(archive)).toEqual(told(recorded));
  });
});
