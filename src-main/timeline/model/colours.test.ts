import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  eventPalette,
  hexToRgb,
  hueLightness,
  nameColour,
  oklchToRgb,
  roleColour,
  roleSwatches,
  stateSwatches,
  stateSwatchOf,
} from './colours.ts';

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

/** What the colour-blind see of linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1). */
const VISIONS = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} satisfies Record<string, readonly (readonly number[])[]>;

const linear = (byte: number) => {
  const share = byte / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

/** Place in OKLab of a colour as it is seen: equal distances look equally different. */
function seen(rgb: readonly number[], vision: keyof typeof VISIONS): number[] {
  const [red = 0, green = 0, blue = 0] = VISIONS[vision].map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, share, at) => sum + share * linear(rgb[at] ?? 0), 0),
      ),
    ),
  );
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

const distance = (one: readonly number[], other: readonly number[]) =>
  Math.hypot(...one.map((value, at) => value - (other[at] ?? 0)));

describe('colours of who had a CPU', () => {
  const swatches = roleSwatches.map(({ id }) => id);
  /** Five times what can just be told apart side by side. */
  const CLEAR = 0.1;

  test.each(Object.keys(VISIONS) as (keyof typeof VISIONS)[])(
    'are told apart, %s, in both themes',
    (vision) => {
      for (const lightness of Object.values(hueLightness)) {
        const palette = eventPalette(lightness);
        const places = swatches.map((swatch) => seen(palette[roleColour(swatch)] ?? [], vision));
        places.forEach((place, at) => {
          for (const other of places.slice(at + 1))
            expect(distance(place, other)).toBeGreaterThan(CLEAR);
        });
      }
    },
  );

  test('are none of a state’s, and black text reads on them', () => {
    const palette = eventPalette(hueLightness.light);
    for (const swatch of swatches) {
      const rgb = palette[roleColour(swatch)] ?? [];
      for (const { hex } of stateSwatches)
        expect(distance(seen(rgb, 'all'), seen(hexToRgb(hex), 'all'))).toBeGreaterThan(CLEAR);
      expect((luminance(rgb) + 0.05) / 0.05).toBeGreaterThan(4.5);
    }
  });

  test('are those of the page', () => {
    const css = readFileSync(new URL('../../../src-renderer/theme.css', import.meta.url), 'utf8');
    for (const { id, oklch } of roleSwatches) {
      const [lightness, chroma, hue] = oklch;
      expect(css).toContain(
        `--role-${id}: oklch(${Number((100 * lightness).toFixed(1))}% ${chroma} ${hue});`,
      );
    }
  });
});
