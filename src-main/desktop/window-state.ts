import { readFile } from 'node:fs/promises';
import type { BrowserWindow, Rectangle } from 'electron';
import { z } from 'zod';
import { replaceFile } from '../system/replace-file.ts';

export const MIN_WINDOW = { width: 800, height: 560 } as const;
const DEFAULT_SIZE = { width: 1400, height: 900 } as const;
/** A window that is dragged moves many times a second; it is kept once it rests. */
const SAVE_DELAY_MS = 500;
/** How much of a window must be on a display for the user to be able to get hold of it, in px. */
const REACHABLE = 80;

const savedState = z.strictObject({
  position: z.strictObject({ x: z.number().int(), y: z.number().int() }).optional(),
  width: z.number().int().min(MIN_WINDOW.width).max(20_000),
  height: z.number().int().min(MIN_WINDOW.height).max(20_000),
  maximized: z.boolean(),
});
export type WindowState = z.infer<typeof savedState>;

/** Where the window was when it closed last; the default where that is unknown or off every display. */
export async function loadWindowState(
  path: string,
  displays: readonly Rectangle[],
): Promise<WindowState> {
  const saved = await readFile(path, 'utf8')
    .then((text) => savedState.safeParse(JSON.parse(text)))
    .catch(() => undefined);
  const fallback = { ...DEFAULT_SIZE, maximized: false };
  if (saved?.data === undefined) return fallback;
  const { position, ...size } = saved.data;
  if (position === undefined) return size;
  return isReachable({ ...position, ...size }, displays) ? saved.data : size;
}

function isReachable({ x, y, width }: Rectangle, displays: readonly Rectangle[]): boolean {
  return displays.some(
    (display) =>
      x + width >= display.x + REACHABLE &&
      x <= display.x + display.width - REACHABLE &&
      y >= display.y &&
      y <= display.y + display.height - REACHABLE,
  );
}

/** Keeps the file at `path` up to date with `window`; `flush` resolves when its last place is saved. */
export function rememberWindowState(
  window: BrowserWindow,
  path: string,
): { flush(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    clearTimeout(timer);
    const { x, y, width, height } = window.getNormalBounds();
    const state: WindowState = {
      position: { x, y },
      width,
      height,
      maximized: window.isMaximized(),
    };
    // A window that forgets its place is a nuisance, not an error.
    saving = saving.then(() => replaceFile(path, JSON.stringify(state))).catch(() => undefined);
  };
  const saveSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_DELAY_MS);
  };
  window.on('resize', saveSoon);
  window.on('move', saveSoon);
  window.on('close', save);
  return { flush: () => saving };
}
