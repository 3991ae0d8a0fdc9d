// Builds the agent for one architecture, and the library that it has loaded into jobs.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { withLock } from '../lock.mjs';
import { succeeds } from './succeeds.mjs';
import { sysrootOf, sysrootVersions, unpackSysroot } from './sysroot.mjs';
import { libraryVersions, obstacle, toolVersions } from './toolchain.mjs';

/** What a build gives: the agent first. */
export const AGENT_FILES = ['stalltrace-agent', 'libstalltrace-inside.so'];

/** Objects, tests and what else `make` leaves behind: out/agent/ has the result alone. */
export function buildFolder(root, arch) {
  return join(root, 'out', 'agent-build', `linux-${arch}`);
}

/** Runs `action` while no other process builds in `folder`. */
export function aloneIn(folder, action) {
  mkdirSync(dirname(folder), { recursive: true });
  return withLock(`${folder}.lock`, () => undefined, action);
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
  const folder = buildFolder(root, arch);
  const problem = aloneIn(folder, () => {
    if (arch !== process.arch && !unpackSysroot(root))
      return 'the arm64 libraries could not be fetched';
    return make(root, root, arch, folder) ? undefined : 'the compiler failed';
  });
  if (problem !== undefined) return fail(problem);
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
