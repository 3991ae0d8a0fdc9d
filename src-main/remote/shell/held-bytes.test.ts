import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldBytes } from './held-bytes.ts';

test('bytes are held as they came, and dropped from the begin', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.uint8Array({ maxLength: 9000 }), fc.nat(20_000)).map((step) => step),
        { maxLength: 30 },
      ),
      (steps) => {
        const held = new HeldBytes();
        let expected = Buffer.alloc(0);
        for (const step of steps) {
          if (typeof step === 'number') {
            held.drop(step);
            expected = expected.subarray(step);
          } else {
            held.add(Buffer.from(step));
            expected = Buffer.concat([expected, step]);
          }
          expect(held.bytes.equals(expected)).toBe(true);
          expect(held.length).toBe(expected.length);
        }
      },
    ),
  );
});

test('a million of single bytes are no million of copies', () => {
  const held = new HeldBytes();
  const moved = { bytes: 0 };
  const one = Buffer.from('x');
  for (let at = 0, memory = held.bytes.buffer; at < 1_000_000; at++) {
    held.add(one);
    if (held.bytes.buffer !== memory) moved.bytes += held.length;
    memory = held.bytes.buffer;
  }
  expect(held.length).toBe(1_000_000);
  expect(moved.bytes).toBeLessThan(3_000_000);
});
