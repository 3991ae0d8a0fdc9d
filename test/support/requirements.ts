import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { canBuild } from '../../scripts/agent/toolchain.mjs';
import { libraryPath } from '../../src-main/native/library.ts';
import { mayConfine } from './agent/cpuset-group.ts';
import { mayFreeze } from './agent/freezer-group.ts';
import { findLibpython } from './agent/pythons.ts';
import { mayGroup } from './cpu-group.ts';
import { findChromium, findWholeChromium } from './page/chromium.ts';

/**
 * What a machine may lack. A test that needs one of these runs in `describeWith`, which skips it
 * under a title that says what is missing and which command brings it: `npm test` lists those
 * titles, and fails on them with CI=true.
 */
interface Requirement {
  readonly met: boolean;
  readonly missing: string;
}

/** The real traces: a folder beside the checkout, not part of it. */
export const sharedData = fileURLToPath(new URL('../../../shared/data', import.meta.url));

const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const CAP_NET_ADMIN = 12n;
const CAP_SYS_ADMIN = 21n;
const CAP_PERFMON = 38n;
const CAP_BPF = 39n;

/** Capabilities that root lacks in most containers. */
function hasCapabilities(...wanted: readonly bigint[]): boolean {
  if (process.platform !== 'linux') return false;
  const text = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  const effective = BigInt(`0x${text ?? '0'}`);
  return wanted.every((capability) => ((effective >> capability) & 1n) === 1n);
}

/** A seccomp filter that allows perf_event_open is taken for one that refuses it: that can't be seen. */
function mayRecordSwitches(): boolean {
  const level = '/proc/sys/kernel/perf_event_paranoid';
  if (process.platform !== 'linux' || !existsSync(level)) return false;
  const filtered = /^Seccomp:\s*[12]/m.test(readFileSync('/proc/self/status', 'utf8'));
  return Number(readFileSync(level, 'utf8')) <= 2 && !filtered;
}

/** With what builds it, its unit tests and the jobs that it records. */
function hasAgent(arch: string): boolean {
  const path = `../../out/agent/linux-${arch}/stalltrace-agent`;
  return canBuild(arch) && existsSync(fileURLToPath(new URL(path, import.meta.url)));
}

/** The CUDA runtime that NVIDIA's toolkit installs. */
export function findCudart(): string | undefined {
  return ['/usr/local/cuda/lib64', '/usr/local/cuda/lib']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .find((path) => /\/libcudart\.so\.\d+$/.test(path));
}

/** Whether other users can come to the checkout: a job of theirs is started from it. */
function mayOthersEnter(folder: string): boolean {
  if ((statSync(folder).mode & 0o1) === 0) return false;
  const above = dirname(folder);
  return above === folder || mayOthersEnter(above);
}

function hasPamModule(name: string): boolean {
  const folders = readdirSync('/usr/lib').map((folder) => join('/usr/lib', folder, 'security'));
  return folders.some((folder) => existsSync(join(folder, name)));
}

const requirements = {
  sharedData: {
    met: existsSync(sharedData),
    missing:
      'needs ../shared/data (real traces beside the checkout; not published with the source)',
  },
  chromium: {
    met: findChromium() !== undefined,
    missing: 'needs Chromium: install it or set CHROMIUM_PATH',
  },
  wholeChromium: {
    met: findWholeChromium() !== undefined,
    missing: 'needs Chromium with its window: apt-get install chromium, or set CHROMIUM_PATH',
  },
  binutils: {
    met: ['nm', 'c++filt'].every((tool) => spawnSync(tool, ['--version']).status === 0),
    missing: 'needs nm and c++filt: apt-get install binutils',
  },
  nativeCode: {
    // Where it is there and can't be loaded, its tests fail.
    met: existsSync(libraryPath()),
    missing:
      'needs the native library (native/README.md): install make and a C compiler, then run "npm test" again',
  },
  root: {
    met: process.getuid?.() === 0,
    missing: 'needs root: run "sudo npm test"',
  },
  reachable: {
    met: process.platform === 'win32' || mayOthersEnter(checkout),
    missing: `needs a checkout that other users may enter: "chmod o+x" ${checkout} and the folders above it`,
  },
  mount: {
    met: hasCapabilities(CAP_SYS_ADMIN),
    missing: 'needs to mount file systems (root on Linux): run "sudo npm test"',
  },
  fuse: {
    met: existsSync('/dev/fuse') && hasCapabilities(CAP_SYS_ADMIN),
    missing:
      'needs root that may mount FUSE file systems (/dev/fuse): run "sudo npm test" on Linux',
  },
  agent: {
    met: hasAgent(process.arch),
    missing:
      'needs the capture agent and what builds it (docs/agent.md), then "node scripts/build-agent.mjs"',
  },
  agentArm64: {
    met: hasAgent('arm64') && spawnSync('qemu-aarch64', ['--version']).status === 0,
    missing:
      'needs the capture agent for arm64, what builds it, and qemu-aarch64: apt-get install clang llvm bpftool gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user, then "node scripts/build-agent.mjs"',
  },
  fuzzer: {
    met: existsSync('/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.fuzzer-x86_64.a'),
    missing: 'needs libFuzzer: apt-get install clang libclang-rt-14-dev (Debian 12, x86-64)',
  },
  bpf: {
    met:
      process.getuid?.() === 0 &&
      hasCapabilities(CAP_PERFMON, CAP_BPF) &&
      existsSync('/sys/kernel/btf/vmlinux'),
    missing:
      'needs root that may load BPF, and a kernel with BTF: run "sudo npm test" on Linux 5.8 or newer, outside containers',
  },
  perfEvents: {
    met: mayRecordSwitches(),
    missing:
      'needs perf events for users without rights: run "sudo sysctl kernel.perf_event_paranoid=2", on Linux 4.17 or newer, outside containers that filter system calls',
  },
  torch: {
    met: existsSync('/usr/lib/python3/dist-packages/torch'),
    missing: 'needs PyTorch for /usr/bin/python3: apt-get install python3-torch python3-numpy',
  },
  libpython: {
    met: findLibpython() !== undefined,
    missing: 'needs a libpython3.*.so for /usr/bin/python3: apt-get install libpython3.11',
  },
  cudaToolkit: {
    met: findCudart() !== undefined,
    missing: 'needs a CUDA toolkit with libcudart.so under /usr/local/cuda',
  },
  cpuQuota: {
    met: mayGroup(),
    missing: 'needs control groups with a CPU controller that root may use: run "sudo npm test"',
  },
  memoryLimit: {
    met:
      process.getuid?.() === 0 &&
      (existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes') ||
        (existsSync('/sys/fs/cgroup/cgroup.controllers') &&
          readFileSync('/sys/fs/cgroup/cgroup.controllers', 'utf8').includes('memory'))),
    missing: 'needs control groups with a memory controller that root may use: run "sudo npm test"',
  },
  cpuset: {
    met: mayConfine(),
    missing: 'needs control groups with a cpuset controller that root may use: run "sudo npm test"',
  },
  freezerV1: {
    met: mayFreeze(1),
    missing:
      'needs a freezer of control groups of version 1 that root may use: run "sudo npm test"',
  },
  freezerV2: {
    met: mayFreeze(2),
    missing: 'needs control groups of version 2 that root may use: run "sudo npm test"',
  },
  realTime: {
    met: spawnSync('/usr/bin/chrt', ['--fifo', '1', 'true']).status === 0,
    missing: 'needs real-time priorities, as root in a control group that may use them',
  },
  sshServer: {
    met:
      process.getuid?.() === 0 &&
      ['/usr/sbin/sshd', '/usr/sbin/useradd', '/usr/bin/sudo'].every((path) => existsSync(path)),
    missing:
      'needs root and an OpenSSH server: apt-get install openssh-server sudo, then "sudo npm test"',
  },
  oneTimeCodes: {
    met:
      process.platform === 'linux' &&
      existsSync('/usr/bin/oathtool') &&
      hasPamModule('pam_google_authenticator.so'),
    missing:
      'needs one-time codes: apt-get install libpam-google-authenticator oathtool, then "sudo npm test"',
  },
  networkNamespaces: {
    met: existsSync('/usr/sbin/ip') && hasCapabilities(CAP_SYS_ADMIN, CAP_NET_ADMIN),
    missing:
      'needs root that may make network namespaces: apt-get install iproute2, then "sudo npm test"',
  },
  x64: { met: process.arch === 'x64', missing: 'needs x86-64, whose instructions it is about' },
  linux: { met: process.platform === 'linux', missing: 'needs Linux' },
  zstd: {
    met: spawnSync('zstd', ['--version']).status === 0,
    missing: 'needs the program zstd: apt-get install zstd',
  },
  sqliteShell: {
    met: spawnSync('sqlite3', ['--version']).status === 0,
    missing: 'needs the program sqlite3: apt-get install sqlite3',
  },
  notWindows: {
    met: process.platform !== 'win32',
    missing: 'needs a Unix system',
  },
} satisfies Record<string, Requirement>;

export function describeWith(
  names: readonly (keyof typeof requirements)[],
  title: string,
  body: () => void,
): void {
  const missing = names.map((name) => requirements[name]).filter(({ met }) => !met);
  if (missing.length === 0) describe(title, body);
  else
    describe.skip(
      `${missing.map((requirement) => requirement.missing).join('; ')} › ${title}`,
      body,
    );
}
