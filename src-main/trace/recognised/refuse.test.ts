import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeWith, sharedData } from '../../../test/support/requirements.ts';
import { HEAD_BYTES } from '../content/plain-file.ts';
import { refuseContent, refuseDatabase } from './refuse.ts';

function said(content: string | Buffer, name = 'a.bin') {
  const refused = refuseContent(Buffer.from(content as string).subarray(0, HEAD_BYTES), name);
  if (refused.ok) throw new Error('it was not refused');
  expect(refused.error.message).toMatch(/^(?:By its name, )?“[^\n]+: [^\n]+\.$/);
  return refused.error;
}

/** A protobuf field of bytes, each number small enough for one byte. */
const bytesField = (number: number, content: Buffer) =>
  Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);

/**
 * Made by hand after what is published of each format, not recorded; what of them there is recorded is read
 * below. Of an Nsight Systems report neither a description nor a file was at hand: its words are a guess.
 */
const samples: readonly (readonly [what: string, content: string | Buffer, words: string])[] = [
  [
    'a TraceML summary',
    '{"schema_version": 1.7, "meta": {"mode": "x"}, "primary_diagnosis": {"kind": "A"',
    'TraceML',
  ],
  [
    'a speedscope profile',
    '{"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[',
    'speedscope',
  ],
  [
    'a Perfetto trace',
    Buffer.concat([
      // TracePacket: timestamp (8), trusted_packet_sequence_id (10).
      bytesField(1, Buffer.from([0x40, 0x90, 0x4e, 0x50, 1])),
      bytesField(1, Buffer.from([0x40, 0x91, 0x4e, 0x50, 1])),
    ]),
    'Perfetto',
  ],
  ['an Nsight Compute report', Buffer.from('NVR\0\x08\0\0\0rest', 'latin1'), 'Nsight Compute'],
  [
    'an Nsight Systems report',
    Buffer.from('\x01\0\0QuadDCommon::Report\0', 'latin1'),
    'Nsight Systems report',
  ],
  ['a recording by perf', 'PERFILE2\x68\0\0\0', 'Linux perf'],
  ['a recording by trace-cmd', '\x17\x08\x44tracing6\0', 'trace-cmd'],
  ['a tar archive', Buffer.concat([Buffer.alloc(257, 'a'), Buffer.from('ustar\x0000')]), 'tar -xf'],
  ['a zip in a gzip', Buffer.from('PK\x03\x04\x14\0', 'latin1'), 'zip or .stalltrace archive'],
  ['gzip in gzip', gzipSync('x'), 'compressed twice'],
  ['zstd in gzip', zstdCompressSync('x'), 'compressed twice'],
  ['xz', Buffer.from('fd377a585a000004', 'hex'), '`xz -d`'],
  ['bzip2', Buffer.from('BZh91AY&SY'), '`bzip2 -d`'],
  ['lz4', Buffer.from('04224d186440a7', 'hex'), '`lz4 -d`'],
  ['7-Zip', Buffer.from('377abcaf271c0004', 'hex'), '`7z x`'],
  ['a web page', '\n<!DOCTYPE html><html>', 'a web page'],
  ['a program', Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'), 'a program'],
  ['a pickle', Buffer.from('8004957b00000000000000', 'hex'), 'pickle'],
  ['a benchmark result', '{"format": "stalltrace-benchmark", "version": 1}', 'benchmark script'],
  ['another JSON', '{"a": 1}', 'JSON'],
  ['a log', 'step 1: loss 0.5 – fine\nstep 2\x1b[0m\n', 'text'],
  ['noise', Buffer.from('00ff01fe02fd', 'hex'), 'in no format that Stalltrace knows'],
];

const SUMMARY = '{"schema_version": 1.7, "primary_diagnosis": {}}';

describe('what a file is, by how it begins', () => {
  test.each(samples)('%s', (_, content, words) => {
    expect(said(content).message).toContain(words);
    // No name changes that.
    expect(said(content, 'run.sqlite').message).toContain(words);
  });

  test('a trace of another program is told from what is none', () => {
    expect(said(SUMMARY).code).toBe('file-unsupported');
    expect(said('a log').code).toBe('file-not-a-trace');
  });

  test('a trace that Stalltrace could record is told how', () => {
    expect(said(Buffer.from('\x7fELF', 'latin1')).message).toContain('`stalltrace capture`');
    expect(said(SUMMARY).message).toContain('`stalltrace compare TRACE SUMMARY`');
  });

  test('is said as a guess where only the name says it', () => {
    const noise = Buffer.from('00ff01fe02fd', 'hex');
    for (const name of ['a.nsys-rep', 'a.qdrep', 'A.NSYS-REP.gz'])
      expect(said(noise, name).message).toMatch(/^By its name, “a.* Nsight Systems report/i);
    expect(said(SUMMARY, 'a.nsys-rep').message).toContain('TraceML');
  });

  test('anything ends in one sentence', () => {
    const begins = samples.map(([, content]) => Buffer.from(content as string));
    const bytes = fc
      .tuple(fc.constantFrom(Buffer.alloc(0), ...begins), fc.uint8Array({ maxLength: 200 }))
      .map(([begin, more]) => Buffer.concat([begin, more]));
    fc.assert(
      fc.property(bytes, fc.nat(300), (content, end) => void said(content.subarray(0, end))),
      { numRuns: 500, seed: 13 },
    );
  });

  test('64 KiB of any one begin are read in one pass', () => {
    const parts = ['"\\"', '{"a":', '["', '\\', '\n<', '\x0a\x02\x50\x01', '{"a" ', '\ufeff'];
    for (const part of parts) said(part.repeat(Math.ceil(HEAD_BYTES / part.length)));
  });
});

describe('what a database is, by its tables', () => {
  const of = (...tables: string[]) => {
    const refused = refuseDatabase(new Set(tables), 'a.db');
    return refused?.ok === false ? refused.error.message : undefined;
  };

  test.each([
    [['stringtable', 'cupti_activity_kind_concurrent_kernel'], 'nvprof'],
    [['rocpd_kernel_dispatch_00', 'rocpd_string_00'], 'rocprof'],
  ])('%j', (tables, words) => {
    expect(of(...tables)).toContain(words);
    expect(of(...tables)).toMatch(/^“a\.db” is [^\n]+: [^\n]+`stalltrace capture`\.$/);
  });

  test.each([[['moz_places']], [['stringids']], [['cupti_activity_kind_kernel']], [[]]])(
    '%j is unknown',
    (tables) => expect(of(...tables)).toBeUndefined(),
  );
});

describeWith(['sharedData'], 'files that others recorded', () => {
  const files = (pattern: string) => globSync(join(sharedData, pattern)).sort();

  test.each(files('traceml/*.json').map((path) => [basename(path), path]))('%s', (_, path) =>
    expect(said(readFileSync(path)).message).toContain('TraceML'),
  );
  test('are there', () => expect(files('traceml/*.json').length).toBeGreaterThan(2));
});
