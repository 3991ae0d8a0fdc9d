import { type Phase, phases } from '../../shared/answers/steps.ts';
import { phaseLabels, stateLabels } from '../../shared/words/terms.ts';

/**
 * Colours of events. The palette is one list, so that an event stores one byte: eight hues of equal
 * lightness for names, then the thread states, a neutral grey, the roles of who had a CPU, what a step went to,
 * and the GPU. No colour stands for two things: colours.test.ts holds them apart.
 */

export type Rgb = readonly [red: number, green: number, blue: number];
type Oklch = readonly [lightness: number, chroma: number, hue: number];

const HUES_DEGREES = [25, 70, 110, 150, 195, 245, 290, 340] as const;
const HUE_CHROMA = 0.105;
/** Lightness of the eight hues and of the grey, by theme. */
export const hueLightness = { light: 0.78, dark: 0.72 } as const;
export type ThemeName = keyof typeof hueLightness;

export const stateSwatches = [
  { id: 'running', name: stateLabels.running, hex: '#0072B2', pattern: 'solid', text: '#ffffff' },
  {
    id: 'runnable',
    name: `${stateLabels.runnable} (runnable)`,
    hex: '#E69F00',
    pattern: 'slashes',
    text: '#000000',
  },
  {
    id: 'blocked-io',
    name: `${stateLabels.disk} (uninterruptible)`,
    hex: '#D55E00',
    pattern: 'crosses',
    text: '#000000',
  },
  {
    id: 'blocked',
    name: `${stateLabels.uninterruptible} (uninterruptible)`,
    hex: '#CC79A7',
    pattern: 'dots',
    text: '#000000',
  },
  { id: 'sleeping', name: stateLabels.sleeping, hex: '#C9D1D9', pattern: 'thin', text: '#000000' },
  { id: 'stopped', name: 'Stopped or dead', hex: '#4B5563', pattern: 'outline', text: '#ffffff' },
  { id: 'unknown', name: 'Unknown state', hex: '#F0E442', pattern: 'dashed', text: '#000000' },
  {
    id: 'off-cpu',
    name: 'Off-CPU, reason not recorded',
    hex: '#6B7280',
    pattern: 'dashed',
    text: '#ffffff',
  },
] as const;
export type StateSwatch = (typeof stateSwatches)[number];
type StatePattern = StateSwatch['pattern'];

/** In the dark theme what matters is brightest: sleeping is not. */
const DARK_SLEEPING = '#7A848E';

/** `#rrggbb` of a state in a theme; on the page `--state-ID`. */
export function stateHex({ id, hex }: StateSwatch, theme: ThemeName): string {
  return theme === 'dark' && id === 'sleeping' ? DARK_SLEEPING : hex;
}

/**
 * Who had a CPU, OKLCH, the same in both themes. Told apart by the colour-blind too, and from every
 * state: chosen by search for the largest least distance (colours.test.ts).
 */
export const roleSwatches = [
  { id: 'training', name: 'Training, inference or server', oklch: [0.643, 0.15, 289] },
  { id: 'workers', name: 'DataLoader workers', oklch: [0.856, 0.147, 147] },
  { id: 'pinning', name: 'Pin-memory thread', oklch: [0.848, 0.11, 320] },
  { id: 'others', name: 'Others', oklch: [0.723, 0.167, 30] },
  { id: 'kernel', name: 'Kernel', oklch: [0.75, 0.01, 250] },
] as const;
export type RoleSwatch = (typeof roleSwatches)[number]['id'];

/** What a step went to, OKLCH, the same in both themes: a palette of its own, each with a pattern no state has. */
export const causeSwatches = {
  input: { pattern: 'backslashes', oklch: [0.58, 0.2, 3], text: '#ffffff' },
  h2d: { pattern: 'rows', oklch: [0.75, 0.17, 118], text: '#000000' },
  compute: { pattern: 'columns', oklch: [0.61, 0.17, 148], text: '#000000' },
  collective: { pattern: 'grid', oklch: [0.52, 0.18, 292], text: '#ffffff' },
  other: { pattern: 'scattered', oklch: [0.52, 0.1, 80], text: '#ffffff' },
  idle: { pattern: 'midline', oklch: [0.68, 0.08, 60], text: '#000000' },
} as const satisfies Record<Phase, unknown>;
type CausePattern = (typeof causeSwatches)[Phase]['pattern'];

/** Of the GPU itself, when nothing says what ran there. No lighter one stays apart from the others: its text is black. */
export const gpuOklch = [0.62, 0.12, 203] as const;

/** Of text on the hues of names, in both themes. */
export const NAME_INK = '#101418';

export const FIRST_STATE_COLOUR = HUES_DEGREES.length;
export const NEUTRAL_COLOUR = FIRST_STATE_COLOUR + stateSwatches.length;
const NEUTRAL_CHROMA = 0.01;

const FIRST_ROLE_COLOUR = NEUTRAL_COLOUR + 1;

/** The palette index of a role's colour. */
export function roleColour(swatch: RoleSwatch): number {
  return FIRST_ROLE_COLOUR + roleSwatches.findIndex(({ id }) => id === swatch);
}

const FIRST_CAUSE_COLOUR = FIRST_ROLE_COLOUR + roleSwatches.length;

/** The palette index of what a step went to. */
export function causeColour(phase: Phase): number {
  return FIRST_CAUSE_COLOUR + phases.indexOf(phase);
}

export const GPU_COLOUR = FIRST_CAUSE_COLOUR + phases.length;

export const stateColour = {
  running: FIRST_STATE_COLOUR,
  runnable: FIRST_STATE_COLOUR + 1,
  blockedOnIo: FIRST_STATE_COLOUR + 2,
  blocked: FIRST_STATE_COLOUR + 3,
  sleeping: FIRST_STATE_COLOUR + 4,
  stopped: FIRST_STATE_COLOUR + 5,
  unknown: FIRST_STATE_COLOUR + 6,
  /** Known to be off the CPU, but the source does not say why. */
  offCpu: FIRST_STATE_COLOUR + 7,
} as const;

/** The state a colour of the palette stands for, if it is one. */
export function stateSwatchOf(colour: number): StateSwatch | undefined {
  return stateSwatches[colour - FIRST_STATE_COLOUR];
}

/** 1 = a colour of the palette is drawn as a thin bar: asked for each pixel of each lane in each frame. */
export const thinColours = Uint8Array.from({ length: 256 }, (_, colour) =>
  stateSwatchOf(colour)?.pattern === 'thin' ? 1 : 0,
);

/** The palette index of a name: FNV-1a, so that a name has one colour in every trace. */
export function nameColour(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash ^= name.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  // The low bits of FNV-1a alternate with the last letter; its high bits are mixed better.
  return ((hash >>> 13) ^ hash ^ (hash >>> 24)) & 7;
}

const gamma = (linear: number) =>
  linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
const toByte = (linear: number) => Math.round(Math.min(1, Math.max(0, gamma(linear))) * 255);

/** OKLCH to sRGB, clipped (B. Ottosson, "A perceptual color space for image processing", 2020). */
export function oklchToRgb(lightness: number, chroma: number, hueDegrees: number): Rgb {
  const hue = (hueDegrees * Math.PI) / 180;
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toByte(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
    toByte(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
    toByte(-0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short),
  ];
}

/** `#rrggbb` as bytes. */
export function hexToRgb(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** All colours of a theme by palette index. */
export function eventPalette(theme: ThemeName): Rgb[] {
  const lightness = hueLightness[theme];
  const rgbOf = ({ oklch: [light, chroma, hue] }: { readonly oklch: Oklch }) =>
    oklchToRgb(light, chroma, hue);
  return [
    ...HUES_DEGREES.map((hue) => oklchToRgb(lightness, HUE_CHROMA, hue)),
    ...stateSwatches.map((state) => hexToRgb(stateHex(state, theme))),
    oklchToRgb(lightness, NEUTRAL_CHROMA, 250),
    ...roleSwatches.map(rgbOf),
    ...phases.map((phase) => rgbOf(causeSwatches[phase])),
    oklchToRgb(...gpuOklch),
  ];
}

/** How a colour that is no name's is drawn: with which pattern, what colour text has on it, and what it means. */
export interface Mark {
  readonly name: string;
  readonly pattern: StatePattern | CausePattern;
  readonly text: string;
}

/** The marks of states, causes and the GPU, by palette index. */
export const marks: ReadonlyMap<number, Mark> = new Map<number, Mark>([
  ...stateSwatches.map((state, at) => [FIRST_STATE_COLOUR + at, state] as const),
  ...phases.map(
    (phase) => [causeColour(phase), { name: phaseLabels[phase], ...causeSwatches[phase] }] as const,
  ),
  [GPU_COLOUR, { name: 'GPU', pattern: 'solid', text: '#000000' }],
]);

const coloured = new Map<number, Uint8Array>();

/** The colours of so many events of one colour: lanes share them. */
export function sameColours(colour: number, length: number): Uint8Array {
  const known = coloured.get(colour);
  if (known !== undefined && known.length >= length) return known.subarray(0, length);
  const longer = new Uint8Array(Math.max(length, 2 * (known?.length ?? 0))).fill(colour);
  coloured.set(colour, longer);
  return longer.subarray(0, length);
}
