import { createRequire } from 'node:module';

/**
 * malloc_trim(3) of the C library that this process runs with: what was freed goes back to the system, wherever it lies.
 * False where there is no such function: other C libraries give it back by themselves, or not at all.
 */
export function trimMalloc(): boolean {
  trim ??= findTrim();
  return trim() === 1;
}

let trim: (() => number) | undefined;

function findTrim(): () => number {
  const none = () => 0;
  if (process.platform !== 'linux' || process.env.STALLTRACE_NATIVE === 'off') return none;
  try {
    // Not imported, as in library.ts. Null: what is loaded already.
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const malloc_trim = koffi.load(null).func('int malloc_trim(size_t pad)');
    return () => malloc_trim(0) as number;
  } catch {
    return none;
  }
}
