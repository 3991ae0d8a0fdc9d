// `npm run ship-native`: builds the native library for both architectures and writes them to resources/native. Where a
// second build in another folder gives other bytes it writes nothing.
// With --check, as `npm run check` runs it: says what is wrong with what is there.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildNative, SHIPPED_TARGETS, sourcesDigest } from './native/build.mjs';
import { shippedPath, shippedProblems, writeShipped } from './native/shipped.mjs';
import { requireNode24 } from './node-version.mjs';
import { tellShipped } from './tell-shipped.mjs';

requireNode24();
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The library for `target`, built in a folder of that name; undefined where that failed. */
function buildIn(folder, target) {
  cpSync(join(root, 'native'), join(folder, 'native'), { recursive: true });
  cpSync(
    join(root, 'node_modules', 'better-sqlite3', 'deps'),
    join(folder, 'node_modules', 'better-sqlite3', 'deps'),
    { recursive: true },
  );
  const built = buildNative(folder, target, join(folder, 'out'));
  return built === undefined ? undefined : readFileSync(built);
}

function ship() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.error('What is shipped is built on Debian 12 on x86-64.');
    return 1;
  }
  const sources = sourcesDigest(root);
  const work = mkdtempSync(join(tmpdir(), 'stalltrace-native-'));
  try {
    const built = {};
    for (const target of SHIPPED_TARGETS) {
      const one = buildIn(join(work, 'one', target), target);
      const other = buildIn(join(work, 'some', 'where', target), target);
      if (one === undefined || other === undefined) {
        console.error(`The library for ${target} can't be built: see the lines above.`);
        return 1;
      }
      if (!one.equals(other)) {
        console.error(`Built in two folders, the library for ${target} is not the same.`);
        return 1;
      }
      built[target] = one;
    }
    if (sourcesDigest(root) !== sources) {
      console.error('native/ changed meanwhile: run it again.');
      return 1;
    }
    writeShipped(root, sources, built);
    for (const target of SHIPPED_TARGETS)
      console.log(`${shippedPath(root, target)}: ${built[target].length} bytes`);
    return 0;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

process.exitCode =
  process.argv[2] === '--check' ? tellShipped(shippedProblems(root, sourcesDigest(root))) : ship();
