// Builds the capture agent, one static binary for each architecture, into out/agent, and writes
// there which were built and why others were not. Never fails because one can't be built: the app
// works without, and says so. Any Node can run it; `node scripts/build-agent.mjs` builds at once.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeOf } from './staleness.mjs';

/** What a build needs: a command, or a file that the compiler finds; and the Debian package. */
const TOOLS = [
  ['make', 'make'],
  ['clang', 'clang'],
  ['llvm-strip', 'llvm'],
  ['bpftool', 'bpftool'],
];
const NATIVE = {
  compiler: 'gcc',
  tools: [...TOOLS, ['gcc', 'gcc']],
  libraries: [
    ['libc.a', 'libc6-dev'],
    ['libbpf.a', 'libbpf-dev'],
    ['libelf.a', 'libelf-dev'],
    ['libz.a', 'zlib1g-dev'],
    ['libsqlite3.a', 'libsqlite3-dev'],
    ['libzstd.a', 'libzstd-dev'],
    ['libnettle.a', 'nettle-dev'],
  ],
};
const CROSS_ARM64 = {
  compiler: 'aarch64-linux-gnu-gcc',
  tools: [...TOOLS, ['aarch64-linux-gnu-gcc', 'gcc-aarch64-linux-gnu']],
  libraries: [['libc.a', 'libc6-dev-arm64-cross']],
};
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

const ARCHITECTURES = ['x64', 'arm64'];
export const AGENT_STATUS = join('out', 'agent', 'status.json');

function toolchainOf(arch) {
  if (process.platform !== 'linux') return undefined;
  if (arch === process.arch) return NATIVE;
  return arch === 'arm64' ? CROSS_ARM64 : undefined;
}

function hasCommand(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, name)));
}

/** gcc prints the bare name of a file that it does not find. */
function compilerFinds(compiler, file) {
  const { stdout } = spawnSync(compiler, [`-print-file-name=${file}`], { encoding: 'utf8' });
  return isAbsolute((stdout ?? '').trim());
}

function missingPackages({ compiler, tools, libraries }) {
  const names = tools.filter(([command]) => !hasCommand(command)).map(([, name]) => name);
  const seen = hasCommand(compiler) ? (file) => compilerFinds(compiler, file) : () => false;
  return [...names, ...libraries.filter(([file]) => !seen(file)).map(([, name]) => name)];
}

/** Why `arch` can't be built here, and what to do; `undefined` where it can. */
function obstacle(arch) {
  if (process.platform !== 'linux') {
    return { why: 'it is built on Linux only', next: 'build it on a Linux machine' };
  }
  const toolchain = toolchainOf(arch);
  if (toolchain === undefined) {
    const why = `a ${process.arch} machine has no compiler for ${arch} here`;
    return { why, next: `build it on a ${arch} machine` };
  }
  const packages = missingPackages(toolchain);
  if (packages.length === 0) return undefined;
  return {
    why: `it needs ${packages.join(', ')}`,
    next: existsSync('/etc/debian_version')
      ? `run "sudo apt-get install -y --no-install-recommends ${packages.join(' ')}"`
      : 'install them by your system’s names for them',
  };
}

function readStatus(root) {
  try {
    return JSON.parse(readFileSync(join(root, AGENT_STATUS), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Whether out/agent is that of the sources as they are, and no more could be built by now. */
export function isAgentCurrent(root) {
  const status = readStatus(root);
  if (status === undefined) return false;
  const written = changeOf(join(root, AGENT_STATUS));
  if (changeOf(join(root, 'agent')) >= written) return false;
  if (changeOf(join(root, 'scripts', 'build-agent.mjs')) >= written) return false;
  if (!status.built.every(({ path }) => existsSync(join(root, 'out', 'agent', path)))) return false;
  return status.missing.every(({ arch, failed }) => failed || obstacle(arch) !== undefined);
}

function succeeds(command, args, options) {
  return spawnSync(command, args, { stdio: ['ignore', 2, 'inherit'], ...options }).status === 0;
}

function sysrootIsComplete(sysroot) {
  try {
    const packages = JSON.parse(readFileSync(join(sysroot, SYSROOT_LIST), 'utf8'));
    return SYSROOT_PACKAGES.every((name) => name in packages);
  } catch {
    return false;
  }
}

/** Libraries for arm64, from the archives this system is configured with; true when there. */
function unpackSysroot(root) {
  const sysroot = join(root, 'out', 'sysroot-arm64');
  if (sysrootIsComplete(sysroot)) return true;
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

/** Versions of the Debian packages that are linked: THIRD-PARTY.md. None where they are no Debian packages. */
function libraryVersions(root, arch) {
  const isCross = arch !== process.arch;
  const runtime = isCross ? 'libgcc-12-dev-arm64-cross' : 'libgcc-12-dev';
  const names = [...toolchainOf(arch).libraries.map(([, name]) => name), runtime];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholder
  const format = '${Package} ${Version}\\n';
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format, ...names], { encoding: 'utf8' });
  const installed = (stdout ?? '').split('\n').filter(Boolean);
  const unpacked = isCross
    ? JSON.parse(readFileSync(join(root, 'out', 'sysroot-arm64', SYSROOT_LIST), 'utf8'))
    : {};
  return { ...Object.fromEntries(installed.map((line) => line.split(' '))), ...unpacked };
}

function versionOf(root) {
  const header = readFileSync(join(root, 'agent', 'src', 'version.h'), 'utf8');
  return /AGENT_VERSION "([^"]+)"/.exec(header)?.[1] ?? '';
}

/** One architecture: its entry of status.json. */
function buildOne(root, arch) {
  const name = `linux-${arch}`;
  const why = obstacle(arch);
  if (why !== undefined) return { missing: { arch, ...why } };
  const fail = (sentence) => ({
    missing: {
      arch,
      why: sentence,
      next: 'see the lines above, then run "node scripts/build-agent.mjs"',
      failed: true,
    },
  });
  if (arch !== process.arch && !unpackSysroot(root)) {
    return fail('the arm64 libraries could not be fetched');
  }
  const out = resolve(root, 'out', 'agent', name);
  const args = ['-s', `-j${availableParallelism()}`, '-C', join(root, 'agent'), `ARCH=${arch}`];
  if (!succeeds('make', [...args, `OUT=${out}`])) return fail('the compiler failed');
  const path = `${name}/stalltrace-agent`;
  const bytes = statSync(join(root, 'out', 'agent', path)).size;
  const libraries = libraryVersions(root, arch);
  return { built: { arch, path, bytes, version: versionOf(root), libraries } };
}

/** Builds what can be built. Returns the sentences about what could not. */
export function buildAgent(root) {
  // What changes while it is being built is not in the build.
  const began = new Date();
  const results = ARCHITECTURES.map((arch) => buildOne(root, arch));
  const status = {
    built: results.flatMap(({ built }) => built ?? []),
    missing: results.flatMap(({ missing }) => missing ?? []),
  };
  const file = join(root, AGENT_STATUS);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(status, null, 2)}\n`);
  utimesSync(`${file}.part`, began, began);
  renameSync(`${file}.part`, file);
  return missingSentences(root);
}

export function missingSentences(root) {
  return (readStatus(root)?.missing ?? []).map(
    ({ arch, why, next }) =>
      `The capture agent for linux-${arch} is not built: ${why}; ${next}. All but recording works without it.`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  for (const sentence of buildAgent(root)) console.error(sentence);
}
