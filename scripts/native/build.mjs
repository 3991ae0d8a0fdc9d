// Of which sources the native library is, and its build. Any Node can ask.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { succeeds } from '../agent/succeeds.mjs';

/** What is shipped: a library for each. On other systems it is built where it runs. */
export const SHIPPED_TARGETS = ['linux-x64', 'linux-arm64'];

export function fileName(target) {
  return `stalltrace-native.${target.startsWith('darwin') ? 'dylib' : 'so'}`;
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}

/** Hex: native/ as far as it is built, and the package that SQLite's sources come from. */
export function sourcesDigest(root) {
  const native = join(root, 'native');
  const sources = readdirSync(join(native, 'src')).filter((name) => /\.[ch]$/.test(name));
  const paths = ['Makefile', ...sources.sort().map((name) => `src/${name}`)];
  const lines = paths.map((path) => {
    const text = readFileSync(join(native, path), 'latin1').replaceAll('\r\n', '\n');
    return `${sha256(Buffer.from(text, 'latin1'))}  ${path}\n`;
  });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return sha256(`${lines.join('')}better-sqlite3 ${manifest.dependencies['better-sqlite3']}\n`);
}

function hasCommand(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name)));
}

/** Whether this machine has what builds the library for itself. Nobody tries it on Windows. */
export function canBuildHere() {
  // What macOS has under these names without its developer tools asks to install them.
  if (process.platform === 'darwin' && spawnSync('xcode-select', ['-p']).status !== 0) return false;
  return process.platform !== 'win32' && ['make', 'cc'].every(hasCommand);
}

/** The C library that the shipped one was linked with: Debian 12 asks for this of 2.36. */
const LEAST_GLIBC = [2, 34];

/** Whether this system's C library loads what is shipped for Linux. */
export function loadsShipped() {
  if (process.platform !== 'linux') return false;
  const { glibcVersionRuntime = '0.0' } = process.report.getReport().header;
  const [major, minor] = glibcVersionRuntime.split('.').map(Number);
  return major > LEAST_GLIBC[0] || (major === LEAST_GLIBC[0] && minor >= LEAST_GLIBC[1]);
}

/** Builds for `target` into `folder`; the file's path, undefined where the compiler failed. */
export function buildNative(root, target, folder) {
  const [, arch] = target.split('-');
  const args = ['-s', '-C', join(root, 'native'), `ARCH=${arch}`, `OUT=${folder}`];
  const sqlite = join(root, 'node_modules', 'better-sqlite3', 'deps', 'sqlite3');
  if (!succeeds('make', [...args, `SQLITE=${sqlite}`])) return undefined;
  return join(folder, fileName(target));
}
