// out/native: the native library where the shipped one is of other sources, or of other systems. Without a compiler
// there is none: then TypeScript does its work.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildNative, canBuildHere, fileName, sourcesDigest } from './build.mjs';
import { isShipped } from './shipped.mjs';

const target = `${process.platform}-${process.arch}`;

function builtFolder(root) {
  return join(root, 'out', 'native', target);
}

/** Beside the library: of which sources it was built, or could not be. */
function stampOf(root) {
  return join(builtFolder(root), 'sources');
}

function builtFrom(root) {
  const stamp = stampOf(root);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Whether there is nothing to build, to remove, or to build with. */
export function isNativeCurrent(root) {
  const sources = sourcesDigest(root);
  if (isShipped(root, target, sources)) return !existsSync(builtFolder(root));
  return builtFrom(root) === sources || (!canBuildHere() && !existsSync(builtFolder(root)));
}

/** In a sentence what went wrong, if anything: nothing but speed is missing then. */
export function provideNative(root) {
  const folder = builtFolder(root);
  const sources = sourcesDigest(root);
  rmSync(folder, { recursive: true, force: true });
  if (isShipped(root, target, sources) || !canBuildHere()) return undefined;
  const built = buildNative(root, target, join(root, 'out', 'native-build', target));
  mkdirSync(folder, { recursive: true });
  if (built !== undefined) renameSync(built, join(folder, fileName(target)));
  // Not tried again for the same sources.
  writeFileSync(stampOf(root), sources);
  return built === undefined
    ? `the native code could not be built: large traces open more slowly. To try again, remove ${dirname(stampOf(root))}.`
    : undefined;
}
