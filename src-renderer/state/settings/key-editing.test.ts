import { expect, test } from 'vitest';
import { defaultSettings, type Settings } from '../../../src-main/shared/library/settings.ts';
import { ok } from '../../../src-main/shared/rpc/result.ts';
import { Toasts } from '../common/toasts.svelte.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { KeyEditing } from './key-editing.svelte.ts';
import { Keys } from './keys.svelte.ts';
import { SettingsState } from './settings.svelte.ts';

function openEditing(own: Settings['keys'] = {}) {
  const fake = new FakeApi().answer('settings.change', () => ok(defaultSettings));
  const settings = new SettingsState(fake.api, new Toasts());
  fake.emit('settings.changed', { ...defaultSettings, keys: own });
  const keys = new Keys(settings, { platform: 'Linux' });
  const editing = new KeyEditing(settings, keys, () => false);
  const press = (code: string, held: object = {}) =>
    editing.press({
      code,
      key: '',
      shiftKey: false,
      ctrlKey: false,
      metaKey: false,
      altKey: false,
      ...held,
    });
  return { settings, editing, press, keys };
}

test('free keys are taken at once', () => {
  const { settings, editing, press, keys } = openEditing();
  editing.listen('zoom-in');
  expect(press('ShiftLeft', { shiftKey: true })).toBe(false);
  expect(press('KeyQ', { shiftKey: true })).toBe(true);
  expect(settings.value.keys).toEqual({ 'zoom-in': ['Shift+KeyQ'] });
  expect(editing.listening).toBeUndefined();
  expect(keys.hint('zoom-in')).toBe('Zoom in (Shift+Q)');
});

test('keys of another command are asked for by its name, and taken from it', () => {
  const { settings, editing, press } = openEditing();
  editing.listen('zoom-in');
  press('KeyK', { ctrlKey: true });
  expect(editing.asking?.conflicts).toEqual(['palette']);
  expect(settings.value.keys).toEqual({});
  editing.cancel();
  expect(editing.asking).toBeUndefined();
  editing.listen('zoom-in');
  press('KeyK', { ctrlKey: true });
  editing.confirm();
  expect(settings.value.keys).toEqual({ 'zoom-in': ['Mod+KeyK'], palette: [] });
  editing.reset('palette');
  expect(editing.asking?.conflicts).toEqual(['zoom-in']);
  editing.confirm();
  expect(settings.value.keys).toEqual({ 'zoom-in': [] });
});

test('Escape leaves all as it was, and what copies text can’t be had', () => {
  const { settings, editing, press } = openEditing({ 'zoom-out': ['KeyX'] });
  editing.listen('zoom-in');
  press('KeyC', { ctrlKey: true });
  expect(editing.refusal).toBe('Ctrl+C copies and edits text: press another.');
  expect(editing.listening).toBe('zoom-in');
  press('KeyT', { ctrlKey: true });
  expect(editing.refusal).toContain('the browser’s own');
  press('Escape');
  expect([editing.listening, editing.refusal]).toEqual([undefined, '']);
  expect(settings.value.keys).toEqual({ 'zoom-out': ['KeyX'] });
});

test('one or all go back to the built-in keys; none is a choice too', () => {
  const { settings, editing } = openEditing({ 'zoom-out': ['KeyX'], help: ['F1'] });
  expect(editing.hasOwn).toBe(true);
  editing.reset('zoom-out');
  editing.remove('show-all');
  expect(settings.value.keys).toEqual({ help: ['F1'], 'show-all': [] });
  editing.resetAll();
  expect(settings.value.keys).toEqual({});
  expect(editing.hasOwn).toBe(false);
});
