import { expect, test } from 'vitest';
import { aboutFacts } from './about-facts.ts';

const about = {
  version: '0.1.0',
  host: 'browser',
  platform: 'linux x64',
  node: '24.12.0',
  parts: { SQLite: '3.50.0' },
  fileDialog: false,
  trash: true,
} as const;

test('says what runs, and of the licence only what is so', () => {
  const facts = aboutFacts(about, '/home/me/data');
  expect(facts.map(({ label }) => label)).toEqual([
    'Stalltrace',
    'Runs as',
    'System',
    'Node.js',
    'SQLite',
    'Data folder',
    'Licence',
  ]);
  expect(facts.at(-1)?.value).toContain('None is granted');
  const desktop = aboutFacts(
    { ...about, host: 'desktop', electron: '45', chromium: '150', licence: 'MIT' },
    undefined,
  );
  expect(desktop.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['Desktop app', '45', '150', 'MIT']),
  );
});
