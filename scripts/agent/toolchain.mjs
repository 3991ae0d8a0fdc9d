// What it takes to build the agent on this machine, and in which versions it is here.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A command, or a file that the compiler finds; and the Debian package. */
const TOOLS = [
  ['make', 'make'],
  ['clang', 'clang'],
  ['llvm-strip', 'llvm'],
  ['bpftool', 'bpftool'],
];
const NATIVE = {
  compiler: 'gcc',
  linker: 'ld',
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
  runtime: 'libgcc-12-dev',
  kernelHeaders: 'linux-libc-dev',
};
const CROSS_ARM64 = {
  compiler: 'aarch64-linux-gnu-gcc',
  linker: 'aarch64-linux-gnu-ld',
  tools: [...TOOLS, ['aarch64-linux-gnu-gcc', 'gcc-aarch64-linux-gnu']],
  libraries: [['libc.a', 'libc6-dev-arm64-cross']],
  runtime: 'libgcc-12-dev-arm64-cross',
  kernelHeaders: 'linux-libc-dev-arm64-cross',
};

export const ARCHITECTURES = ['x64', 'arm64'];

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

/** Whether the tools are there; of the libraries nothing is asked, which takes longer. */
export function canBuild(arch) {
  return toolchainOf(arch)?.tools.every(([command]) => hasCommand(command)) ?? false;
}

/** Why `arch` can't be built here, and what to do; `undefined` where it can. */
export function obstacle(arch) {
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
    why: `its build needs ${packages.join(', ')}`,
    next: existsSync('/etc/debian_version')
      ? `run "sudo apt-get install -y --no-install-recommends ${packages.join(' ')}"`
      : 'install them by your system’s names for them',
  };
}

/** Versions of installed Debian packages. None where there are no Debian packages. */
function packageVersions(names) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholder
  const format = '${Package} ${Version}\\n';
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format, ...names], { encoding: 'utf8' });
  const installed = (stdout ?? '').split('\n').filter(Boolean);
  return Object.fromEntries(installed.map((line) => line.split(' ')));
}

/** The Debian packages that are linked, but for those of the sysroot: THIRD-PARTY.md. */
export function libraryVersions(arch) {
  const { libraries, runtime } = toolchainOf(arch);
  return packageVersions([...libraries.map(([, name]) => name), runtime]);
}

/** What else decides which bytes a build gives: each command's own words, and the kernel's headers. */
export function toolVersions(arch) {
  const { compiler, linker, kernelHeaders } = toolchainOf(arch);
  const env = { ...process.env, LC_ALL: 'C', PATH: `${process.env.PATH}${delimiter}/usr/sbin` };
  const said = [compiler, linker, 'clang', 'bpftool'].map((command) => {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', env });
    return [command, (stdout ?? '').split('\n')[0]];
  });
  return { ...Object.fromEntries(said), ...packageVersions([kernelHeaders]) };
}
