import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocateColumns } from './columns.ts';
import { decodeColumns, encodeColumns } from './columns-codec.ts';

function bodyOf(chunks: readonly Uint8Array[]): ArrayBuffer {
  const body = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk, offset);
    offset += chunk.length;
  }
  return body.buffer;
}

function someCalls(rows: number) {
  const columns = allocateColumns('cuda_call', rows, ['bytes', 'direction']);
  for (let row = 0; row < rows; row++) {
    columns.startNs[row] = row * 1.5e9;
    columns.op[row] = row % 7;
    if (columns.bytes !== undefined) columns.bytes[row] = 2 ** 40 + row;
  }
  return columns;
}

describe('columns codec', () => {
  test('returns every column it was given, for any number of rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), (rows) => {
        const columns = someCalls(rows);
        const { chunks, byteLength } = encodeColumns('cuda_call', columns);
        const body = bodyOf(chunks);
        expect(body.byteLength).toBe(byteLength);
        expect(decodeColumns('cuda_call', body)).toEqual(columns);
      }),
    );
  });

  test('keeps names as narrow or wide as they are', () => {
    for (const op of [Uint16Array.of(65_535), Uint32Array.of(70_000)]) {
      const { chunks } = encodeColumns('cuda_call', { ...someCalls(1), op });
      expect(decodeColumns('cuda_call', bodyOf(chunks)).op).toEqual(op);
    }
  });

  test('sends only the columns that were asked for and exist', () => {
    const { chunks } = encodeColumns('cuda_call', someCalls(3), ['startNs', 'stack', 'nonsense']);
    expect(Object.keys(decodeColumns('cuda_call', bodyOf(chunks)))).toEqual(['startNs']);
  });

  test('refuses a body that is cut anywhere or belongs to another table', () => {
    // Rows of which the last column fills whole words: cutting what pads it loses nothing.
    const body = bodyOf(encodeColumns('cuda_call', someCalls(56)).chunks);
    for (let length = 0; length < body.byteLength; length += 37) {
      expect(() => decodeColumns('cuda_call', body.slice(0, length))).toThrow();
    }
    expect(() => decodeColumns('gap', body)).toThrow(RangeError);
  });
});
