import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder } from './data-folder.ts';

test.each(['linux', 'darwin', 'win32'] as const)('%s: the own variable wins', (platform) => {
  const environment = { STALLTRACE_DATA_DIR: '/own', XDG_DATA_HOME: '/xdg', APPDATA: '/app' };
  expect(dataFolder(environment, platform)).toBe('/own');
});

test('Linux: XDG, an absolute path, else the default', () => {
  const fallback = join(homedir(), '.local', 'share', 'stalltrace');
  expect(dataFolder({ XDG_DATA_HOME: '/xdg' }, 'linux')).toBe(join('/xdg', 'stalltrace'));
  expect(dataFolder({ XDG_DATA_HOME: 'relative' }, 'linux')).toBe(fallback);
  expect(dataFolder({ STALLTRACE_DATA_DIR: '' }, 'linux')).toBe(fallback);
});

test('macOS and Windows: their own places', () => {
  const support = join(homedir(), 'Library', 'Application Support', 'Stalltrace');
  expect(dataFolder({ XDG_DATA_HOME: '/xdg' }, 'darwin')).toBe(support);
  expect(dataFolder({ APPDATA: '/roaming' }, 'win32')).toBe(join('/roaming', 'Stalltrace'));
});
