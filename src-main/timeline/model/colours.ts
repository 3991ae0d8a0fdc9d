/**
 * Colours of events. The palette is one list, so that an event stores one byte: eight hues of equal
 * lightness for names, then the thread states, then a neutral grey, then the roles of who had a CPU.
 */

export type Rgb = readonly [red: number, green: number, blue: number];

const HUES_DEGREES = [25, 70, 110, 150, 195, 245, 290, 340] as const;
const HUE_CHROMA = 0.105;
/** Lightness of the eight hues, by theme. */
export const hueLightness = { light: 0.78, dark: 0.72 } as const;

export const stateSwatches = [
  { name: 'Running', hex: '#0072B2', pattern: 'solid', text: '#ffffff' },
  { name: 'Runnable (waiting for a CPU)', hex: '#E69F00', pattern: 'slashes', text: '#000000' },
  { name: 'Uninterruptible, I/O', hex: '#D55E00', pattern: 'crosses', text: '#000000' },
  { name: 'Uninterruptible, other', hex: '#CC79A7', pattern: 'dots', text: '#000000' },
  { name: 'Sleeping', hex: '#C9D1D9', pattern: 'thin', text: '#000000' },
  { name: 'Stopped or dead', hex: '#4B5563', pattern: 'outline', text: '#ffffff' },
  { name: 'Unknown state', hex: '#F0E442', pattern: 'dashed', text: '#000000' },
  { name: 'Off-CPU, reason not recorded', hex: '#6B7280', pattern: 'dashed', text: '#ffffff' },
] as const;
export type StatePattern = (typeof stateSwatches)[number]['pattern'];

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
export function stateSwatchOf(colour: number): (typeof stateSwatches)[number] | undefined {
  return stateSwatches[colour - FIRST_STATE_COLOUR];
}

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

/** All colours by palette index; `lightness` is that of the eight hues and the grey. */
export function eventPalette(lightness: number): Rgb[] {
  return [
    ...HUES_DEGREES.map((hue) => oklchToRgb(lightness, HUE_CHROMA, hue)),
    ...stateSwatches.map((state) => hexToRgb(state.hex)),
    oklchToRgb(lightness, NEUTRAL_CHROMA, 250),
    ...roleSwatches.map(({ oklch: [light, chroma, hue] }) => oklchToRgb(light, chroma, hue)),
  ];
}
