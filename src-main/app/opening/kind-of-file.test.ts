import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kindOfFile } from './kind-of-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kind-of-file-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const result = `\n { ${' '.repeat(200)} "format": "stalltrace-benchmark"}`;
const capture = Buffer.alloc(100);
capture.write('STLT', 68, 'latin1');

test.each<readonly [string, string | Buffer, string]>([
  ['a zip', Buffer.from('PK\x03\x04', 'latin1'), 'archive'],
  ['an empty zip', Buffer.from('PK\x05\x06', 'latin1'), 'archive'],
  ['gzip', gzipSync(result), 'packed'],
  ['zstd', zstdCompressSync(result), 'packed'],
  ['zstd that begins with what is left out', Buffer.from('5f2a4d1800000000', 'hex'), 'packed'],
  ['a database of ours', capture, 'capture'],
  ['one that is cut off', capture.subarray(0, 71), 'other'],
  ['a result of the benchmark script', result, 'benchmark'],
  ['a summary by TraceML', '{"schema_version": 1.7, "primary_diagnosis": {}}', 'traceml'],
  ['other JSON', '{"traceEvents": []}', 'other'],
  ['another database', 'SQLite format 3\0', 'other'],
  ['nothing', '', 'other'],
])('%s is told by its content, whatever its name is', async (_, content, kind) => {
  for (const name of ['a.db', 'a.stalltrace', 'a.json', 'a.gz']) {
    writeFileSync(join(folder, name), content);
    expect(await kindOfFile(join(folder, name))).toBe(kind);
  }
});
