import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder } from './data-folder.ts';

test('the own variable wins', () => {
  expect(dataFolder({ STALLTRACE_DATA_DIR: '/own', XDG_DATA_HOME: '/xdg' })).toBe('/own');
});

test.runIf(process.platform === 'linux')('XDG: an absolute path, else the default', () => {
  const fallback = join(homedir(), '.local/share/stalltrace');
  expect(dataFolder({ XDG_DATA_HOME: '/xdg' })).toBe('/xdg/stalltrace');
  expect(dataFolder({ XDG_DATA_HOME: 'relative' })).toBe(fallback);
  expect(dataFolder({ STALLTRACE_DATA_DIR: '' })).toBe(fallback);
});
