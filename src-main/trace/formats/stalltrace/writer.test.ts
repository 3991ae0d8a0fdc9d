import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trace } from '../../../shared/model/trace.ts';
import { narrowColumns } from '../../build/narrow-columns.ts';
import { openSource } from '../../source/trace-source.ts';
import { traceArbitrary } from '../../testing/trace-arbitrary.ts';
import { stalltraceImporter } from './importer.ts';
import { writeTraceFile } from './writer.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalltrace-writer-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function readBack(path: string): Trace {
  const opened = openSource(path, folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const source = opened.value;
  expect(stalltraceImporter.recognises(source)).toBe(true);
  const trace = stalltraceImporter.importTrace(source, {
    fileName: source.fileName,
    progress() {},
  });
  source.close();
  if (!trace.ok) throw new Error(`${trace.error.message} ${trace.error.detail}`);
  return trace.value;
}

const [example] = fc.sample(traceArbitrary, { numRuns: 1, seed: 1 }) as [Trace];

describe('writeTraceFile', () => {
  test('writes what the importer reads back, column by column', () => {
    const path = join(folder, 'round-trip.db');
    fc.assert(
      fc.property(traceArbitrary, (trace) => {
        expect(writeTraceFile(path, trace)).toEqual({ ok: true, value: null });
        expect(narrowColumns(readBack(path))).toEqual(narrowColumns(trace));
      }),
      { numRuns: 60, seed: 20_260_101 },
    );
  });

  test('writes the same bytes for the same trace', () => {
    const [first, second] = [join(folder, 'first.db'), join(folder, 'second.db')];
    writeTraceFile(first, example);
    writeTraceFile(second, example);
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
  });

  test('says of a converted trace what it was', () => {
    const path = join(folder, 'converted.db');
    const meta = { ...example.meta, format: 'Ingero', version: '0.10' };
    writeTraceFile(path, { ...example, meta });
    const notice = { level: 'info', text: 'Converted from Ingero 0.10.' };
    const again = readBack(path);
    expect(again.notices).toContainEqual(notice);
    expect(again.meta.convertedFrom).toBe('Ingero 0.10');
    // Written once more, it is still what it was first.
    writeTraceFile(path, again);
    expect(readBack(path).meta.convertedFrom).toBe('Ingero 0.10');
  });

  test('leaves nothing behind where it cannot write', () => {
    const before = readdirSync(folder);
    const result = writeTraceFile(join(folder, 'missing', 'trace.db'), example);
    expect(result).toMatchObject({ ok: false, error: { code: 'not-writable' } });
    expect(readdirSync(folder)).toEqual(before);
  });

  test('says when the disk is full, and leaves the old file', () => {
    const path = join(folder, 'kept.db');
    writeFileSync(path, 'old');
    // As SQLite and the kernel report it.
    for (const trouble of [{ errcode: 13 }, { code: 'ENOSPC', syscall: 'write' }]) {
      const full = Object.assign(new Error('database or disk is full'), trouble);
      const trace = {
        ...example,
        get stacks(): never {
          throw full;
        },
      };
      expect(writeTraceFile(path, trace)).toMatchObject({ error: { code: 'disk-full' } });
      expect(readFileSync(path, 'utf8')).toBe('old');
      expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
    }
  });
});
