import { describe, expect, test } from 'vitest';
import { eventPalette, hexToRgb, nameColour, oklchToRgb, stateSwatchOf } from './colours.ts';

/** WCAG relative luminance. */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('colours', () => {
  test('black text reads on every hue (AA)', () => {
    for (const rgb of [...eventPalette(0.78).slice(0, 8), ...eventPalette(0.7).slice(0, 8)])
      expect((luminance(rgb) + 0.05) / 0.05).toBeGreaterThan(4.5);
  });

  test('the hues are equally light', () => {
    const lights = eventPalette(0.75).slice(0, 8).map(luminance);
    expect(Math.max(...lights) / Math.min(...lights)).toBeLessThan(1.35);
  });

  test('a name keeps its colour and common calls differ', () => {
    expect(nameColour('cudaMemcpyAsync')).toBe(nameColour('cudaMemcpyAsync'));
    const names = ['cudaMemcpyAsync', 'cudaStreamSynchronize', 'cudaLaunchKernel', 'cudaMalloc'];
    expect(new Set(names.map(nameColour)).size).toBeGreaterThan(2);
  });

  test('conversions match known values', () => {
    expect(oklchToRgb(1, 0, 0)).toEqual([255, 255, 255]);
    expect(hexToRgb('#E69F00')).toEqual([230, 159, 0]);
    expect(stateSwatchOf(9)?.name).toMatch(/^Runnable/);
    expect(stateSwatchOf(0)).toBeUndefined();
  });
});
