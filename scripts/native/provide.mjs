// out/native: the native library where the shipped one is of other sources, or of other systems. Without a compiler
// there is none: then TypeScript does its work.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildNative, canBuildHere, fileName, loadsShipped, sourcesDigest } from './build.mjs';
import { isShipped } from './shipped.mjs';

const target = `${process.platform}-${process.arch}`;

function builtFolder(root) {
  return join(root, 'out', 'native', target);
}

/** Of which sources it was built, or could not be: not tried again for the same ones, unless a compiler came. */
function stampOf(root) {
  return join(builtFolder(root), 'sources');
}

/** Whether there is nothing to build, to remove, or to build with. */
export function isNativeCurrent(root) {
  const sources = sourcesDigest(root);
  if (loadsShipped() && isShipped(root, target, sources)) return !existsSync(builtFolder(root));
  const stamp = existsSync(stampOf(root)) ? readFileSync(stampOf(root), 'utf8') : '';
  if (stamp === `${sources} no compiler`) return !canBuildHere();
  return [`${sources} built`, `${sources} failed`].includes(stamp);
}

/**
 * `say` hears that it takes its time. In a sentence what went wrong, if anything: nothing but speed is missing then.
 * While there is a folder of it, nothing else is loaded: what is shipped is of other sources, or for other systems.
 */
export function provideNative(root, say = () => undefined) {
  const folder = builtFolder(root);
  const sources = sourcesDigest(root);
  rmSync(folder, { recursive: true, force: true });
  if (loadsShipped() && isShipped(root, target, sources)) return undefined;
  mkdirSync(folder, { recursive: true });
  const stamp = (outcome) => writeFileSync(stampOf(root), `${sources} ${outcome}`);
  if (!canBuildHere()) {
    stamp('no compiler');
    return undefined;
  }
  say('building native code, which reads large traces faster…');
  const built = buildNative(root, target, join(root, 'out', 'native-build', target));
  if (built === undefined) {
    stamp('failed');
    return `the native code could not be built: large traces open more slowly. To try again, remove ${folder}.`;
  }
  renameSync(built, join(folder, fileName(target)));
  stamp('built');
  return undefined;
}
