// Whether the build in out/ is that of the sources as they are. Any Node can run it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['src-main', 'src-renderer', 'resources', 'scripts'];
const CONFIGURATION =
  /^(package(-lock)?\.json|tsconfig.*\.json|(svelte|electron\.vite)\.config\..+)$/;

/** Written when a build is complete, with the time at which it began to read the sources. */
export const BUILT_STAMP = join('out', 'built');
const ENTRY = join('out', 'main', 'cli.js');

export function isBuildCurrent(root) {
  const built = changeOf(join(root, BUILT_STAMP));
  if (built === 0 || changeOf(join(root, ENTRY)) === 0) return false;
  const configuration = readdirSync(root).filter((name) => CONFIGURATION.test(name));
  return [...SOURCES, ...configuration].every((name) => changeOf(join(root, name)) < built);
}

/** When the newest part of `path` changed, in ms; 0 where there is nothing. */
export function changeOf(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => changeOf(join(path, name))));
}
