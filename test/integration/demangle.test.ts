import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { demangle } from '../../src-main/analysis/demangle/demangle.ts';
import { describeWith } from '../support/requirements.ts';

/** Demangling beside binutils' own, over the symbols of this machine's libraries. */

const run = (tool: string, args: readonly string[], input = '') =>
  spawnSync(tool, args, { input, encoding: 'utf8', maxBuffer: 1 << 30 }).stdout;

const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'];
const MAX_LIBRARIES = 40;

/** The program that runs this, and C++ libraries found here. */
function binaries(): string[] {
  const libraries = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) =>
      /\/lib(stdc\+\+|c\+\+|icu\w+|apt-\w+|protobuf|boost\w*)[^/]*\.so[.\d]*$/.test(path),
    );
  const all = [process.execPath, ...libraries].map((path) => realpathSync(path));
  return [...new Set(all)].slice(0, MAX_LIBRARIES);
}

describeWith(['binutils', 'notWindows'], 'demangling, beside c++filt', () => {
  test('reads at least 99.9 % of real symbols alike', () => {
    const symbols = binaries().flatMap((path) =>
      run('nm', ['-D', path])
        .split('\n')
        .map((line) => line.split(' ').at(-1)?.split('@')[0] ?? '')
        .filter((name) => /^_[ZR]/.test(name)),
    );
    const names = [...new Set(symbols)];
    const expected = run('c++filt', ['--no-verbose'], names.join('\n')).split('\n');
    const mangled = names.flatMap((name, at) =>
      expected[at] === name ? [] : [[name, expected[at]]],
    );
    const different = mangled.filter(([name = '', readable]) => demangle(name) !== readable);
    console.log(`demangled alike: ${mangled.length - different.length} of ${mangled.length}`);
    expect(mangled.length).toBeGreaterThan(3_000);
    expect(different.length / mangled.length, String(different[0])).toBeLessThan(0.001);
  });
});
