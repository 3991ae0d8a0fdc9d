import { expect, test } from 'vitest';
import { defaultSettings } from '../../../src-main/shared/library/settings.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { SettingsState } from './settings.svelte.ts';

test('a change shows before it is kept, and follows other windows', async () => {
  const fake = new FakeApi().answer('settings.change', () => ok(defaultSettings));
  const settings = new SettingsState(fake.api, new Toasts());
  const change = settings.change({ wheel: 'zoom' });
  expect(settings.value.wheel).toBe('zoom');
  await change;
  expect(fake.asked).toEqual([{ name: 'settings.change', args: { changes: { wheel: 'zoom' } } }]);
  fake.emit('settings.changed', { ...defaultSettings, theme: 'dark' });
  expect([settings.value.theme, settings.value.wheel, settings.loaded]).toEqual([
    'dark',
    'scroll',
    true,
  ]);
});

test('a library that can’t be had is told, with what that means for the settings', async () => {
  const unavailable = () => fail('library-unavailable', 'The library is locked.');
  const fake = new FakeApi()
    .answer('settings.get', unavailable)
    .answer('settings.change', unavailable);
  const toasts = new Toasts();
  const settings = new SettingsState(fake.api, toasts);
  await settings.load();
  await settings.change({ theme: 'dark' });
  expect(settings.value.theme).toBe('dark');
  expect(settings.loaded).toBe(false);
  expect(toasts.items.map(({ text, kind }) => `${kind}: ${text}`)).toEqual([
    'error: The library is locked. Your settings are not used until then.',
    'error: The library is locked. The setting lasts until you leave.',
  ]);
});
