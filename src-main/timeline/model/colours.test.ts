import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { phases } from '../../shared/answers/steps.ts';
import {
  causeSwatches,
  eventPalette,
  GPU_COLOUR,
  gpuOklch,
  hexToRgb,
  hueLightness,
  marks,
  nameColour,
  oklchToRgb,
  roleColour,
  roleSwatches,
  stateColour,
  stateHex,
  stateSwatches,
  stateSwatchOf,
  type ThemeName,
} from './colours.ts';

/** WCAG relative luminance. */
function luminance(rgb: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((byte) => {
    const share = byte / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const themes = Object.keys(hueLightness) as ThemeName[];

describe('colours', () => {
  test('black text reads on every hue (AA)', () => {
    for (const rgb of themes.flatMap((theme) => eventPalette(theme).slice(0, 8)))
      expect((luminance(rgb) + 0.05) / 0.05).toBeGreaterThan(4.5);
  });

  test('the hues are equally light', () => {
    const lights = eventPalette('light').slice(0, 8).map(luminance);
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
    expect(stateSwatchOf(9)?.name).toMatch(/^Waiting for a CPU/);
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

/** Five times what can just be told apart side by side. */
const CLEAR = 0.1;

interface Drawn {
  readonly name: string;
  readonly rgb: readonly number[];
  readonly pattern: string;
  readonly isState: boolean;
}

/** All that stands for something, as it can stand on one screen. */
function drawnIn(theme: ThemeName): Drawn[] {
  const palette = eventPalette(theme);
  const at = (colour: number) => palette[colour] ?? [];
  return [
    ...Array.from(marks, ([colour, { name, pattern }]) => {
      return { name, rgb: at(colour), pattern, isState: stateSwatchOf(colour) !== undefined };
    }),
    ...roleSwatches.map(({ id, name }) => {
      return { name, rgb: at(roleColour(id)), pattern: 'solid', isState: false };
    }),
  ];
}

/** Pairs of what is drawn with how far they are apart for who sees so. */
function pairsIn(theme: ThemeName, vision: keyof typeof VISIONS) {
  const drawn = drawnIn(theme);
  return drawn.flatMap((one, at) =>
    drawn.slice(at + 1).map((other) => {
      const apart = distance(seen(one.rgb, vision), seen(other.rgb, vision));
      return { one, other, apart, names: `${one.name} | ${other.name}` };
    }),
  );
}

describe.each(themes)('what colours stand for, %s theme', (theme) => {
  test('no colour stands for two things', () => {
    const close = pairsIn(theme, 'all')
      .filter(({ one, other }) => !(one.isState && other.isState))
      .filter(({ apart }) => apart < 0.9 * CLEAR);
    expect(close.map(({ names }) => names)).toEqual([]);
  });

  test.each(Object.keys(VISIONS) as (keyof typeof VISIONS)[])(
    'what comes close has another pattern, %s',
    (vision) => {
      const alike = pairsIn(theme, vision).filter(
        ({ one, other, apart }) => apart < 0.8 * CLEAR && one.pattern === other.pattern,
      );
      expect(alike.map(({ names }) => names)).toEqual([]);
    },
  );

  test('text reads on them (AA)', () => {
    const palette = eventPalette(theme);
    for (const [colour, { name, text }] of marks) {
      const [ink, ground] = [hexToRgb(text), palette[colour] ?? []].map(luminance);
      const [low = 0, high = 0] = [ink ?? 0, ground ?? 0].toSorted((a, b) => a - b);
      expect((high + 0.05) / (low + 0.05), name).toBeGreaterThan(4.5);
    }
    const teal = luminance(palette[GPU_COLOUR] ?? []);
    expect(
      (teal + 0.05) / (luminance(hexToRgb(marks.get(GPU_COLOUR)?.text ?? '')) + 0.05),
    ).toBeGreaterThan(6);
    for (const { id } of roleSwatches)
      expect((luminance(palette[roleColour(id)] ?? []) + 0.05) / 0.05).toBeGreaterThan(4.5);
  });
});

test('in the dark theme sleeping is not the brightest', () => {
  const lightOf = (theme: ThemeName, colour: number) =>
    luminance(eventPalette(theme)[colour] ?? []);
  const { sleeping, runnable } = stateColour;
  expect(lightOf('dark', sleeping)).toBeLessThan(0.26);
  expect(lightOf('dark', sleeping)).toBeLessThan(lightOf('dark', runnable));
  expect(lightOf('light', sleeping)).toBeGreaterThan(0.5);
});

test('the page has the same colours', () => {
  const css = readFileSync(new URL('../../../src-renderer/theme.css', import.meta.url), 'utf8');
  const named = [
    ...roleSwatches.map(({ id, oklch }) => [`role-${id}`, oklch] as const),
    ...phases.map((phase) => [`cause-${phase}`, causeSwatches[phase].oklch] as const),
    ['gpu', gpuOklch] as const,
  ];
  for (const [name, [lightness, chroma, hue]] of named) {
    const percent = Number((100 * lightness).toFixed(1));
    expect(css).toContain(`--${name}: oklch(${percent}% ${chroma} ${hue});`);
  }
  const [light = '', dark = ''] = css.split('data-theme="dark"');
  for (const state of stateSwatches) {
    expect(light).toContain(`--state-${state.id}: ${state.hex.toLowerCase()};`);
    const inDark = stateHex(state, 'dark');
    if (inDark !== state.hex)
      expect(dark).toContain(`--state-${state.id}: ${inDark.toLowerCase()};`);
  }
});
