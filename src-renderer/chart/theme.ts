import { eventPalette, type Rgb } from '../../src-main/timeline/model/colours.ts';

/** Colours of the canvas, settled: taken from the page's custom properties once per theme change. */
export interface ChartTheme {
  readonly background: string;
  readonly panel: string;
  readonly text: string;
  readonly muted: string;
  readonly border: string;
  readonly accent: string;
  /** Notes and bookmarks. */
  readonly note: string;
  readonly isDark: boolean;
  /** The event palette as CSS colours and as little-endian RGBA without alpha, by palette index. */
  readonly fills: readonly string[];
  readonly packed: Uint32Array;
  readonly font: string;
}

/** The page's custom properties, or system colours where it does not define them. */
const PROPERTIES = {
  background: 'var(--bg, Canvas)',
  panel: 'var(--panel, Canvas)',
  text: 'var(--fg, CanvasText)',
  muted: 'var(--muted, GrayText)',
  border: 'var(--border, GrayText)',
  accent: 'var(--accent, Highlight)',
  note: 'var(--note, Highlight)',
} as const;

const FORCED = {
  background: 'Canvas',
  panel: 'Canvas',
  text: 'CanvasText',
  muted: 'CanvasText',
  border: 'CanvasText',
  accent: 'Highlight',
  note: 'Highlight',
} as const;

/** The red, green and blue a CSS colour comes to. */
function settledRgb(context: CanvasRenderingContext2D, colour: string): Rgb {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Reads the theme through `probe`, an element inside the page whose colour may be set. */
export function readTheme(probe: HTMLElement): ChartTheme {
  const isForced = matchMedia('(forced-colors: active)').matches;
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (pixel === null) throw new Error('this browser has no 2D canvas');
  const settle = (name: keyof typeof PROPERTIES) => {
    probe.style.color = isForced ? FORCED[name] : PROPERTIES[name];
    const [red, green, blue] = settledRgb(pixel, getComputedStyle(probe).color);
    return `rgb(${red} ${green} ${blue})`;
  };
  const background = settle('background');
  const [red, green, blue] = settledRgb(pixel, background);
  const isDark = red * 0.3 + green * 0.59 + blue * 0.11 < 128;
  const palette = eventPalette(isDark ? 'dark' : 'light');
  return {
    background,
    panel: settle('panel'),
    text: settle('text'),
    muted: settle('muted'),
    border: settle('border'),
    accent: settle('accent'),
    note: settle('note'),
    isDark,
    fills: palette.map(([r, g, b]) => `rgb(${r} ${g} ${b})`),
    packed: Uint32Array.from(palette, ([r, g, b]) => r | (g << 8) | (b << 16)),
    font: `12px ${getComputedStyle(probe).fontFamily}`,
  };
}

/** Calls `onChange` when the page or the system changes its colours or its font. Returns how to stop. */
export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-theme', 'class', 'style'],
  });
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
    matchMedia(query),
  );
  for (const query of queries) query.addEventListener('change', onChange);
  // What was drawn and measured before the page's font was there is drawn anew.
  document.fonts.addEventListener('loadingdone', onChange);
  return () => {
    observer.disconnect();
    document.fonts.removeEventListener('loadingdone', onChange);
    for (const query of queries) query.removeEventListener('change', onChange);
  };
}
