// Builds the agent for one architecture, and the library that it has loaded into jobs.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { succeeds } from './succeeds.mjs';
import { sysrootOf, sysrootVersions, unpackSysroot } from './sysroot.mjs';
import { libraryVersions, obstacle, toolVersions } from './toolchain.mjs';

/** What a build gives: the agent first. */
export const AGENT_FILES = ['stalltrace-agent', 'libstalltrace-inside.so'];

/** Objects, tests and what else `make` leaves behind: out/agent/ has the result alone. */
export function buildFolder(root, arch) {
  return join(root, 'out', 'agent-build', `linux-${arch}`);
}

function versionOf(root) {
  const header = readFileSync(join(root, 'agent', 'src', 'version.h'), 'utf8');
  return /AGENT_VERSION "([^"]+)"/.exec(header)?.[1] ?? '';
}

/** `make`, in a folder with a copy of agent/ in it; true when all files are there. */
export function make(root, folder, arch, out) {
  const args = ['-s', `-j${availableParallelism()}`, '-C', join(folder, 'agent'), `ARCH=${arch}`];
  return succeeds('make', [...args, `OUT=${out}`, `SYSROOT=${sysrootOf(root)}`]);
}

/** Of each file of a build: its name, size and hash. */
export function describeFiles(folder) {
  return AGENT_FILES.map((name) => {
    const bytes = readFileSync(join(folder, name));
    return {
      name,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    };
  });
}

/** What the build for `arch` is made with here. */
export function ingredients(root, arch) {
  const unpacked = arch === process.arch ? {} : sysrootVersions(root);
  const libraries = { ...libraryVersions(arch), ...unpacked };
  return { tools: toolVersions(arch), libraries };
}

/** `built` with the folder it lies in, or `missing` with the reason. */
export function buildOne(root, arch) {
  const why = obstacle(arch);
  if (why !== undefined) return { missing: why };
  const fail = (sentence) => ({
    missing: {
      why: sentence,
      next: 'see the lines above, then run "node scripts/build-agent.mjs"',
      failed: true,
    },
  });
  if (arch !== process.arch && !unpackSysroot(root)) {
    return fail('the arm64 libraries could not be fetched');
  }
  const folder = buildFolder(root, arch);
  if (!make(root, root, arch, folder)) return fail('the compiler failed');
  return {
    built: {
      folder,
      build: {
        arch,
        version: versionOf(root),
        ...ingredients(root, arch),
        files: describeFiles(folder),
      },
    },
  };
}
