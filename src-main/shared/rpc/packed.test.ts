import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePacked, encodePacked } from './packed.ts';

const bodyOf = (value: unknown) => encodePacked(value).slice().buffer as ArrayBuffer;

test('numbers come back as the arrays they were', () => {
  const value = {
    lanes: [{ startNs: Float64Array.of(0.5, 2 ** 52), rows: Uint32Array.of(0xffffffff) }],
    kinds: Uint8Array.of(1, 2, 3),
    longest: Int32Array.of(-1),
    name: 'κernel "7"\n',
    none: new Float64Array(0),
    missing: null,
  };
  expect(decodePacked(bodyOf(value))).toEqual(value);
});

test('so do arrays of any length and kind, beside each other', () => {
  const array = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.int32Array({ maxLength: 40 }),
    fc.uint32Array({ maxLength: 40 }),
    fc.float64Array({ maxLength: 40 }),
  );
  const part = fc.record({ name: fc.string({ unit: 'grapheme' }), array });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
      expect(decodePacked(bodyOf(parts))).toEqual(parts);
    }),
  );
});

test('a part of a larger array is sent as that part', () => {
  const all = Float64Array.of(1, 2, 3, 4);
  expect(decodePacked(bodyOf(all.subarray(1, 3)))).toEqual(Float64Array.of(2, 3));
});

test('a body that is cut anywhere or of another kind is refused', () => {
  const whole = bodyOf({ startNs: Float64Array.of(1, 2, 3), name: 'x' });
  for (let length = 0; length < whole.byteLength; length++)
    expect(() => decodePacked(whole.slice(0, length))).toThrow(RangeError);
  expect(() => decodePacked(new ArrayBuffer(64))).toThrow('not a packed body');
});
