import { expect, test } from 'vitest';
import { CommandRegistry } from './command-registry.svelte.ts';

test('what is registered can be done until its screen goes, another screen’s stays', () => {
  const commands = new CommandRegistry();
  const done: string[] = [];
  const leaveFirst = commands.register({ 'add-note': () => done.push('first') });
  commands.register({ 'add-note': () => done.push('second') });
  leaveFirst();
  expect(commands.run('add-note')).toBe(true);
  expect(done).toEqual(['second']);
  expect(commands.run('report')).toBe(false);
});

test('a command of a screen that is not shown can’t be done', () => {
  let shown = 'timeline';
  const commands = new CommandRegistry((scope) => scope === 'app' || scope === shown);
  const asked: boolean[] = [];
  commands.register({ 'pan-left': (fast) => asked.push(fast), palette: () => undefined });
  expect(commands.available).toEqual(['palette', 'pan-left']);
  commands.run('pan-left', true);
  shown = 'flame';
  expect(commands.available).toEqual(['palette']);
  expect(commands.run('pan-left')).toBe(false);
  expect(asked).toEqual([true]);
});
