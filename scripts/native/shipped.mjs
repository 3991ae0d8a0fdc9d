// resources/native: the library as it is shipped, and a manifest with the digest of its sources and the hash of each file.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileName, SHIPPED_TARGETS } from './build.mjs';

const FOLDER = 'resources/native';
const MANIFEST = `${FOLDER}/manifest.json`;
const REBUILD = 'run "npm run ship-native" on Debian 12 (x86-64), and commit what it writes';

function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}

export function shippedPath(root, target) {
  return join(root, FOLDER, target, fileName(target));
}

/** What is shipped: `sources` and a hash for each target; undefined where nothing is. */
export function readManifest(root) {
  try {
    return JSON.parse(readFileSync(join(root, MANIFEST), 'utf8'));
  } catch {
    return undefined;
  }
}

function isWhole(root, target, { files }) {
  const path = shippedPath(root, target);
  return existsSync(path) && sha256(readFileSync(path)) === files?.[target];
}

/** Whether what is shipped for `target` is there, whole, and of these sources. */
export function isShipped(root, target, sources) {
  const manifest = readManifest(root);
  return manifest?.sources === sources && isWhole(root, target, manifest);
}

/** What is wrong with what is shipped, in sentences; `isStale` where it is only of other sources. */
export function shippedProblems(root, sources) {
  const manifest = readManifest(root);
  if (manifest === undefined) return { problems: [`${MANIFEST} can't be read: ${REBUILD}.`] };
  const wrong = SHIPPED_TARGETS.filter((target) => !isWhole(root, target, manifest));
  if (wrong.length > 0) {
    const what = wrong.map((target) => `${FOLDER}/${target}`).join(', ');
    return { problems: [`${what} is not what ${MANIFEST} says: ${REBUILD}.`] };
  }
  if (manifest.sources === sources) return { problems: [] };
  const problem = `${FOLDER} was built from other sources than those in native/: ${REBUILD}.`;
  return { problems: [problem], isStale: true };
}

/** Replaces what is shipped by `built`, the bytes of each target; the manifest last. */
export function writeShipped(root, sources, built) {
  const files = {};
  for (const [target, bytes] of Object.entries(built)) {
    mkdirSync(join(root, FOLDER, target), { recursive: true });
    writeFileSync(shippedPath(root, target), bytes, { mode: 0o755 });
    files[target] = sha256(bytes);
  }
  writeFileSync(join(root, MANIFEST), `${JSON.stringify({ sources, files }, null, 2)}\n`);
}
