import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadWindowState } from './window-state.ts';

const displays = [
  { x: 0, y: 25, width: 1920, height: 1055 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];
const defaultState = { width: 1400, height: 900, maximized: false };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-state-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(text: string) {
  const path = join(folder, 'window.json');
  await writeFile(path, text);
  return loadWindowState(path, displays);
}

test('comes back on the display it was on', async () => {
  const saved = { position: { x: 2000, y: 10 }, width: 1000, height: 700, maximized: true };
  expect(await load(JSON.stringify(saved))).toEqual(saved);
});

test('keeps only its size where that display is gone', async () => {
  const size = { width: 1000, height: 700, maximized: false };
  for (const position of [
    { x: 4000, y: 10 },
    { x: -980, y: 100 },
    { x: 0, y: -500 },
  ]) {
    expect(await load(JSON.stringify({ position, ...size }))).toEqual(size);
  }
});

test.each(['', '{', '[]', '{"width":10,"height":900,"maximized":false}', '{"width":"1400"}'])(
  'falls back from %j',
  async (text) => expect(await load(text)).toEqual(defaultState),
);

test('has a default for the first start', async () => {
  expect(await loadWindowState(join(folder, 'none.json'), displays)).toEqual(defaultState);
});
