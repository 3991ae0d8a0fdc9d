import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('lines of a host', () => {
  test('are cut at their ends, however they arrive; those too long are left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
          { maxLength: 8 },
        ),
        fc.integer({ min: 1, max: 50 }),
        async (lines, size) => {
          const bytes = Buffer.from(`${lines.map((line) => `${line}\n`).join('')}no end`);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          );
          expect(await collect(readLines(Readable.from(chunks)))).toEqual(lines);
        },
      ),
      { numRuns: 50 },
    );
    const long = Buffer.alloc(200_000, 'x');
    const stream = Readable.from([long, Buffer.from('\nok\n'), Buffer.from([0xff, 0x0a])]);
    expect(await collect(readLines(stream))).toEqual([undefined, 'ok', undefined]);
  });

  test('end with a stream that breaks', async () => {
    const stream = new PassThrough();
    const lines = collect(readLines(stream));
    stream.write('one\ntw');
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy(new Error('broken'));
    expect(await lines).toEqual(['one']);
  });

  test('come no faster than a capture can tell', async () => {
    const chunk = Buffer.from(`${'x'.repeat(1023)}\n`.repeat(1024));
    const began = performance.now();
    let count = 0;
    for await (const _line of readLines(Readable.from(Array.from({ length: 20 }, () => chunk))))
      count++;
    expect(count).toBe(20 * 1024);
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});
