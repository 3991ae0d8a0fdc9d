import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingArray } from './growing-array.ts';

describe('GrowingArray', () => {
  it('holds what an array would, however it was put down, taken away and trimmed', () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom('pop', 'trim'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const plain: number[] = [];
        const growing = new GrowingArray(Uint8Array);
        for (const each of steps) {
          if (typeof each === 'number') {
            plain.push(each);
            growing.push(each);
          } else if (each === 'pop') {
            plain.pop();
            growing.pop();
          } else growing.trim();
          expect(growing.length).toBe(plain.length);
          expect(growing.last).toBe(plain.at(-1));
        }
        expect([...growing.values]).toEqual(plain);
      }),
    );
  });

  it('takes no more than it holds once it is trimmed', () => {
    const growing = new GrowingArray(Float64Array);
    for (let each = 0; each < 100; each++) growing.push(each);
    growing.trim();
    expect(growing.values.buffer.byteLength).toBe(800);
  });
});
