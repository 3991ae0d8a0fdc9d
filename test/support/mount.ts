import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Disks as they go wrong: `unmountAll` after each test. */

const mounted: string[] = [];

/** Lazily: a process of the test may have files open still. */
export function unmountAll(): void {
  for (const path of mounted.splice(0).reverse()) execFileSync('umount', ['-l', path]);
}

/** A disk of its own at `folder`, of `sizeKiB`. */
export function mountSmallDisk(folder: string, sizeKiB: number): void {
  mount(['-t', 'tmpfs', '-o', `size=${sizeKiB}k`, 'tmpfs', folder], folder);
}

/** Makes a folder or a file one that nobody can write; returns what makes it writable again. */
export function mountReadOnly(path: string): () => void {
  mount(['--bind', path, path], path);
  execFileSync('mount', ['-o', 'remount,ro,bind', path]);
  return () => void execFileSync('mount', ['-o', 'remount,rw,bind', path]);
}

function mount(args: readonly string[], path: string): void {
  execFileSync('mount', args);
  mounted.push(path);
}

/** Fills the disk of `folder` to its last byte; returns what frees it again. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  for (let size = 65_536; size >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      size >>= 1;
    }
  }
  closeSync(file);
  return () => rmSync(path);
}
