import { expect, test } from 'vitest';
import { aboutFacts } from './about-facts.ts';

const about = {
  version: '0.1.0',
  host: 'browser',
  platform: 'linux x64',
  node: '24.12.0',
  parts: { SQLite: '3.50.0' },
  agents: {
    built: [{ arch: 'x64', path: 'linux-x64/stalltrace-agent', bytes: 3 << 20, version: '0.1.0' }],
    missing: [{ arch: 'arm64', why: 'it needs clang', next: 'install clang' }],
  },
  nativeCode: { used: true, sqlite: '3.54.1' },
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
    'Native code',
    'Capture agent, Linux x64',
    'Capture agent, Linux arm64',
    'Data folder',
    'Licence',
  ]);
  expect(facts.at(-1)?.value).toContain('None is granted');
  expect(facts.map(({ value }) => value)).toEqual(
    expect.arrayContaining([
      '0.1.0, 3.000 MiB',
      'Reads large traces, with SQLite 3.54.1',
      'Not here: it needs clang; install clang. All but recording works without it.',
    ]),
  );
  const slow = { ...about, nativeCode: { used: false, why: 'It is switched off.' } } as const;
  expect(aboutFacts(slow, undefined).map(({ value }) => value)).toContain(
    'Not used: It is switched off. Large traces open more slowly; the results are the same.',
  );
  const desktop = aboutFacts(
    { ...about, host: 'desktop', electron: '45', chromium: '150', licence: 'MIT' },
    undefined,
  );
  expect(desktop.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['Desktop app', '45', '150', 'MIT']),
  );
});
