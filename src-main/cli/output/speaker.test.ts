import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSpeaker } from './speaker.ts';

const ERASE = '\r\u001b[K';
const isTty = process.stderr.isTTY;
let screen: string;

beforeEach(() => {
  screen = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    screen += String(text);
    return true;
  });
  vi.spyOn(console, 'error').mockImplementation((line: string) => {
    screen += `${line}\n`;
  });
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    screen += `${line}\n`;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.stderr.isTTY = isTty;
});

/** What `speak` leaves on standard output and error. */
function spoken(
  speak: (speaker: ReturnType<typeof createSpeaker>) => void,
  { json = false, terminal = true } = {},
): string {
  process.stderr.isTTY = terminal;
  speak(createSpeaker(json));
  return screen;
}

test('what is being done gives way to whatever is told next', () => {
  const seen = spoken((speaker) => {
    speaker.step('Looking at the host.');
    speaker.step('Trying\u001b[2J sudo.');
    speaker.print('A table', { event: 'table' });
  });
  expect(seen).toBe(`${ERASE}Looking at the host …${ERASE}Trying␛[2J sudo …${ERASE}A table\n`);
});

test('a live line stays where something else is done after it', () => {
  const seen = spoken((speaker) => {
    speaker.show('Recording 2 of 2 s');
    speaker.step('Signing out');
    speaker.endStep();
    speaker.endStep();
  });
  expect(seen).toBe(`${ERASE}Recording 2 of 2 s\n${ERASE}Signing out …${ERASE}`);
});

test('a program, and a file, are not told what is being done', () => {
  const step = (speaker: ReturnType<typeof createSpeaker>) => {
    speaker.step('Looking at the host.');
    speaker.endStep();
  };
  expect(spoken(step, { json: true })).toBe('');
  expect(spoken(step, { terminal: false })).toBe('');
});
