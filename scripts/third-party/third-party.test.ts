import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_LIBRARIES, debianProblems, linkingProblems } from './agent-libraries.ts';
import { dependencyFolders, foldersOf } from './packages.ts';
import { licenceTexts, thirdPartyPage } from './page.ts';

const makefile = readFileSync(new URL('../../agent/Makefile', import.meta.url), 'utf8');

test('misses a library that is linked, and names one that no longer is', () => {
  expect(linkingProblems(makefile)).toEqual([]);
  expect(linkingProblems(makefile.replace('-lelf', '-lelf -lcurl'))).toEqual([
    'agent/Makefile links -lcurl, which scripts/third-party/ lacks.',
  ]);
  expect(linkingProblems(makefile.replace('-lnettle', ''))).toEqual([
    'Nettle is in scripts/third-party/ and no longer linked.',
  ]);
  expect(linkingProblems('all:')).toHaveLength(1);
});

test('compares the licences with Debian’s, and says where Debian’s are not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'third-party-'));
  const write = (name: string, text: string) => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'copyright'), text);
  };
  write('libelf-dev', 'License: LGPL-3+ or GPL-2+');
  write('nettle-dev', 'License: AGPL-3');
  const { problems, notChecked } = debianProblems(folder);
  expect(problems).toEqual([expect.stringContaining('nettle-dev')]);
  expect(notChecked).toEqual(
    AGENT_LIBRARIES.map(({ debian }) => debian).filter(
      (name) => name !== 'libelf-dev' && name !== 'nettle-dev',
    ),
  );
  rmSync(folder, { recursive: true });
});

test('finds the package of a module, the innermost of several, and the bundler’s own lines', () => {
  const modules = [
    '/home/me/stalltrace/src-main/index.ts',
    '/home/me/stalltrace/node_modules/d3-array/src/max.js',
    '/home/me/stalltrace/node_modules/d3-array/src/min.js',
    '/home/me/node_modules/app/node_modules/@scope/thing/index.js',
    'C:\\stalltrace\\node_modules\\zod\\index.js',
    '\0rolldown/runtime.js',
  ];
  expect(foldersOf(modules)).toEqual([
    'node_modules/@scope/thing',
    'node_modules/d3-array',
    'node_modules/rolldown',
    'node_modules/zod',
  ]);
});

test('follows the dependencies of the package, not those of its tools', () => {
  const packages = {
    '': { dependencies: { a: '1' }, devDependencies: { tool: '1' } },
    'node_modules/a': { dependencies: { b: '1' }, optionalDependencies: { c: '1' } },
    'node_modules/a/node_modules/b': { dependencies: { a: '1', d: '1' } },
    'node_modules/b': {},
    'node_modules/d': {},
    'node_modules/tool': {},
  };
  expect(dependencyFolders(JSON.stringify({ packages }))).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/d',
  ]);
});

test('lists every package, and each text once', () => {
  const mit = { version: '1.0.0', licence: 'MIT', text: 'Permission is hereby granted' };
  const bundled = [
    { name: 'one', ...mit },
    { name: 'two', ...mit },
    { name: 'three', ...mit, text: 'another' },
  ];
  const page = thirdPartyPage(bundled, []);
  for (const { name } of bundled) expect(page).toContain(`| ${name} | 1.0.0 | MIT |`);
  const texts = licenceTexts(bundled);
  expect(texts.match(/Permission is hereby granted/g)).toHaveLength(1);
  expect(texts).toContain('one 1.0.0 (MIT)\ntwo 1.0.0 (MIT)\n');
});
