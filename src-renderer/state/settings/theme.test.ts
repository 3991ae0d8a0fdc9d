import { expect, test } from 'vitest';
import { Theme } from './theme.svelte.ts';

function fakeSystem(matches: boolean) {
  const listeners: ((event: { matches: boolean }) => void)[] = [];
  const system = {
    matches,
    addEventListener: (_type: string, listener: (typeof listeners)[number]) =>
      listeners.push(listener),
  } as unknown as MediaQueryList;
  return {
    system,
    change: (dark: boolean) => listeners.forEach((on) => void on({ matches: dark })),
  };
}

test('the system’s preference counts until something is chosen, and the choice is kept', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const { system, change } = fakeSystem(true);
  const theme = new Theme(storage, system);
  expect(theme.shown).toBe('dark');
  change(false);
  expect(theme.shown).toBe('light');
  theme.choose('dark');
  expect(theme.shown).toBe('dark');
  expect(new Theme(storage, fakeSystem(false).system).choice).toBe('dark');
});

test('a page without storage still has a theme', () => {
  const denied = () => {
    throw new Error('denied');
  };
  const theme = new Theme({ getItem: denied, setItem: denied }, fakeSystem(false).system);
  theme.choose('dark');
  expect(theme.shown).toBe('dark');
});
