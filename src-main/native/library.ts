import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LibraryHandle } from 'koffi';
import { outsideArchive } from '../system/outside-archive.ts';

/**
 * The library of native/, found and loaded once for each thread. Everything it does is done in TypeScript too, with
 * the same result: where it is not there or does not fit, nothing but speed is missing.
 */

/** As in native/src/native.h. */
const ABI = 1;

export interface NativeLibrary {
  readonly path: string;
  /** The version of the SQLite inside. */
  readonly sqlite: string;
  /** A function by its C declaration. Its arguments are checked by nobody but the wrapper around it. */
  readonly declare: <Function>(declaration: string) => Function;
}

/** The library, or in a sentence why it is not used. */
export type NativeState =
  | { readonly library: NativeLibrary }
  | { readonly library?: undefined; readonly why: string };

let found: NativeState | undefined;

/** `STALLTRACE_NATIVE=off` does without. */
export function findNative(): NativeState {
  found ??= load();
  return found;
}

function load(): NativeState {
  if (process.env.STALLTRACE_NATIVE === 'off') return { why: 'It is switched off.' };
  const path = libraryPath();
  if (!existsSync(path)) {
    return { why: `It was not built for ${process.platform}-${process.arch}.` };
  }
  try {
    return fitting(path, open(path));
  } catch (thrown) {
    // This system's loader or C library, or no koffi for it.
    return { why: `This system does not load it: ${(thrown as Error).message.split('\n')[0]}` };
  }
}

function open(path: string): LibraryHandle {
  // Not imported: where koffi has nothing for a system, its import fails, and with it whoever imports this.
  const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
  return koffi.load(path);
}

function fitting(path: string, handle: LibraryHandle): NativeState {
  const abi = handle.func('uint32_t stalltrace_native_abi()')() as number;
  if (abi !== ABI) return { why: `It is of another version (${abi}, not ${ABI}).` };
  const sqlite = handle.func('const char *stalltrace_native_sqlite()')() as string;
  return { library: { path, sqlite, declare: (declaration) => handle.func(declaration) as never } };
}

/**
 * As shipped, or in out/native where that does not fit: what is in there then, library or not, is what the start could
 * do about it. From the sources as from what is built of them, root is two folders up.
 */
export function libraryPath(): string {
  const target = `${process.platform}-${process.arch}`;
  const extension = process.platform === 'darwin' ? 'dylib' : 'so';
  const [built, shipped] = ['out', 'resources'].map((folder) => {
    const url = new URL(`../../${folder}/native/${target}`, import.meta.url);
    return outsideArchive(fileURLToPath(url));
  });
  return join(existsSync(built) ? built : shipped, `stalltrace-native.${extension}`);
}
