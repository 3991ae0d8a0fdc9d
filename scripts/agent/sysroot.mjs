// The libraries that an agent for arm64 is linked with, on an x86-64 machine.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { succeeds } from './succeeds.mjs';

/** Unpacked into a folder of their own: the system learns of no second architecture. */
const SYSROOT_PACKAGES = [
  'libbpf-dev',
  'libelf-dev',
  'zlib1g-dev',
  'libsqlite3-dev',
  'libzstd-dev',
  'nettle-dev',
];
/** In the sysroot: of which packages it is made, and their versions. */
const SYSROOT_LIST = 'packages.json';

export function sysrootOf(root) {
  return join(root, 'out', 'sysroot-arm64');
}

export function sysrootVersions(root) {
  return JSON.parse(readFileSync(join(sysrootOf(root), SYSROOT_LIST), 'utf8'));
}

function sysrootIsComplete(root) {
  try {
    const packages = sysrootVersions(root);
    return SYSROOT_PACKAGES.every((name) => name in packages);
  } catch {
    return false;
  }
}

/** From the archives this system is configured with; true when there. */
export function unpackSysroot(root) {
  const sysroot = sysrootOf(root);
  if (sysrootIsComplete(root)) return true;
  const work = `${sysroot}.part`;
  rmSync(work, { recursive: true, force: true });
  for (const name of ['lists/partial', 'cache/archives/partial', 'packages', 'unpacked']) {
    mkdirSync(join(work, name), { recursive: true });
  }
  const settings = [
    'APT::Architecture=arm64',
    'APT::Architectures=arm64',
    `Dir::State::Lists=${join(work, 'lists')}`,
    `Dir::Cache=${join(work, 'cache')}`,
    'Dir::State::status=/dev/null',
    'Acquire::Languages=none',
    // The user that root fetches as may not write here.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((setting) => ['-o', setting]);
  const cwd = join(work, 'packages');
  if (!succeeds('apt-get', [...settings, 'update', '-qq'], { cwd })) return false;
  if (!succeeds('apt-get', [...settings, 'download', '-qq', ...SYSROOT_PACKAGES], { cwd })) {
    return false;
  }
  const unpack = (name) => succeeds('dpkg', ['-x', join(cwd, name), join(work, 'unpacked')]);
  const archives = readdirSync(cwd);
  if (!archives.every(unpack)) return false;
  // libelf-dev_0.188-2.1_arm64.deb; the colon of a version is written as %3a.
  const packages = archives.map((name) => name.split('_').slice(0, 2).map(decodeURIComponent));
  const list = JSON.stringify(Object.fromEntries(packages));
  writeFileSync(join(work, 'unpacked', SYSROOT_LIST), list);
  rmSync(sysroot, { recursive: true, force: true });
  renameSync(join(work, 'unpacked'), sysroot);
  rmSync(work, { recursive: true, force: true });
  return true;
}
