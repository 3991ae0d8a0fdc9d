import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApp } from '../app.ts';
import { FakeLibrary } from '../testing/fake-library.ts';
import { contextOf, fakePlatform } from '../testing/fake-platform.ts';
import { absentFolder, findDataFolder, unusableFolder } from './data-folder.ts';
import { configFile, writeConfig } from './user-config.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'stalltrace-home-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const platforms = ['linux', 'darwin', 'win32'] as const;

test.each(platforms)('%s: the own variable wins', (platform) => {
  const environment = { STALLTRACE_DATA_DIR: '/own', XDG_DATA_HOME: '/xdg', APPDATA: '/app' };
  expect(findDataFolder(environment, platform)).toEqual({ path: '/own', from: 'environment' });
});

test('Linux: XDG, an absolute path, else the default', () => {
  const fallback = { path: join(home, '.local', 'share', 'stalltrace'), from: 'platform' };
  expect(findDataFolder({ XDG_DATA_HOME: '/xdg' }, 'linux').path).toBe(join('/xdg', 'stalltrace'));
  expect(findDataFolder({ XDG_DATA_HOME: 'relative' }, 'linux')).toEqual(fallback);
  expect(findDataFolder({ STALLTRACE_DATA_DIR: '' }, 'linux')).toEqual(fallback);
});

test('macOS and Windows: their own places', () => {
  const support = join(home, 'Library', 'Application Support', 'Stalltrace');
  expect(findDataFolder({ XDG_DATA_HOME: '/xdg' }, 'darwin').path).toBe(support);
  const { path } = findDataFolder({ APPDATA: join(home, 'roaming') }, 'win32');
  expect(path).toBe(join(home, 'roaming', 'Stalltrace'));
});

describe('the folder that was chosen', () => {
  const environment = () => ({ XDG_CONFIG_HOME: join(home, 'config') });
  const file = () => configFile(environment(), 'linux');
  const write = (content: string | Buffer) => {
    mkdirSync(dirname(file()), { recursive: true });
    writeFileSync(file(), content);
  };

  test('is taken at the next start, and another after it', async () => {
    for (const chosen of ['/mnt/traces', '/mnt/other']) {
      await writeConfig(chosen, file());
      expect(findDataFolder(environment(), 'linux')).toEqual({ path: chosen, from: 'setting' });
    }
    expect(readdirSync(dirname(file()))).toEqual(['config.json']);
  });

  test.each(platforms)('%s: is found where that system keeps such files', async (platform) => {
    const own = { APPDATA: join(home, 'roaming') };
    await writeConfig('/mnt/traces', configFile(own, platform));
    expect(findDataFolder(own, platform).path).toBe('/mnt/traces');
  });

  test.each([
    ['no JSON', '{"dataFolder": "/mnt'],
    ['no text', Buffer.from([0xff, 0xfe, 0, 1])],
    ['a list', '[]'],
    ['a number', '{"dataFolder": 3}'],
    ['a relative path', '{"dataFolder": "traces"}'],
    ['an empty path', '{"dataFolder": ""}'],
    ['a path with a zero', '{"dataFolder": "/mnt\\u0000/x"}'],
    ['a megabyte', `{"dataFolder": "/mnt", "x": "${'x'.repeat(2 ** 20)}"}`],
  ])('is not followed where the file holds %s, and that is told', (_name, content) => {
    write(content);
    const found = findDataFolder(environment(), 'linux');
    expect(found).toMatchObject({ from: 'platform', notice: expect.stringContaining(file()) });
    expect(found.notice).toMatch(/Correct or delete that file\.$/);
  });

  test('is not followed where the file is a folder', () => {
    mkdirSync(file(), { recursive: true });
    expect(findDataFolder(environment(), 'linux').notice).toContain(file());
  });

  test('may be absent from the file', () => {
    write('{"later": "settings"}');
    expect(findDataFolder(environment(), 'linux')).not.toHaveProperty('notice');
  });

  test('leaves the file that was there where it cannot be written', async () => {
    write('{"dataFolder": "/before"}');
    const before = readFileSync(file(), 'utf8');
    await expect(writeConfig('/after', join(file(), 'config.json'))).rejects.toThrow();
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });
});

test('a folder whose disk is gone is told with the way back', () => {
  const chosen = unusableFolder({ path: '/media/disk/traces', from: 'setting' });
  expect(chosen).toContain('/media/disk/traces');
  expect(chosen).toContain('config.json');
  const given = unusableFolder({ path: '/x', from: 'environment' });
  expect(given).toContain('STALLTRACE_DATA_DIR');
});

describe('a chosen folder without a library', () => {
  const chosen = () => ({ path: join(home, 'disk', 'traces'), from: 'setting' }) as const;

  test('is refused, be it missing or the empty place of its disk', () => {
    for (const make of [() => undefined, () => mkdirSync(chosen().path, { recursive: true })]) {
      make();
      const refused = absentFolder(chosen());
      for (const part of [chosen().path, configFile(), 'connect the disk', 'remove "dataFolder"'])
        expect(refused).toContain(part);
    }
    expect(absentFolder({ ...chosen(), from: 'platform' })).toBeUndefined();
    writeFileSync(join(chosen().path, 'library.db'), '');
    expect(absentFolder(chosen())).toBeUndefined();
  });

  test('is taken where it was chosen and not used yet, and may be chosen again', async () => {
    vi.stubEnv('STALLTRACE_DATA_DIR', '');
    vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
    const { platform } = fakePlatform(new FakeLibrary().handlers);
    const app = createApp(platform, { dataFolder: join(home, 'data'), dataFolderFrom: 'platform' });
    for (const copy of [false, true]) {
      const args = { path: chosen().path, copy };
      const moved = await app.handlers['settings.moveDataFolder'](args, contextOf());
      expect(moved).toMatchObject({ value: { next: chosen().path } });
      expect(absentFolder(findDataFolder())).toBeUndefined();
    }
    await app.close();
  });
});
