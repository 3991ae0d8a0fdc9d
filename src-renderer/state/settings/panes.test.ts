import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { defaultSettings, type Settings } from '../../../src-main/shared/library/settings.ts';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { Panes } from './panes.svelte.ts';
import { SettingsState } from './settings.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openPanes(panes: Settings['panes']) {
  const fake = new FakeApi().answer('settings.change', () => ok(defaultSettings));
  const settings = new SettingsState(fake.api, new Toasts());
  fake.emit('settings.changed', { ...defaultSettings, panes });
  const kept = () => fake.asked.map(({ args }) => (args as { changes: Settings }).changes.panes);
  return { panes: new Panes(settings), kept };
}

test('a size shows at once and is kept when it rests, by itself', () => {
  const { panes, kept } = openPanes({ labels: 200 });
  for (const px of [400, 410, 420.4]) panes.resize('why-slow', px);
  expect(panes.sizeOf('why-slow', 300)).toBe(420);
  expect(kept()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(kept()).toEqual([{ 'why-slow': 420 }]);
  expect(panes.sizeOf('why-slow', 300)).toBe(420);
});

test('a reset pane has its usual size, and nothing is kept of it', () => {
  const { panes, kept } = openPanes({ labels: 200, notes: 300 });
  panes.reset('labels');
  expect(panes.sizeOf('labels', 290)).toBe(290);
  panes.flush();
  panes.flush();
  expect(kept()).toEqual([{ labels: null }]);
  expect(panes.sizeOf('labels', 290)).toBe(290);
  expect(panes.sizeOf('notes', 290)).toBe(300);
});
