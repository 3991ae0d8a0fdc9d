import { shell } from 'electron';

/**
 * The only addresses Stalltrace hands to the system's browser. Whole addresses, compared exactly:
 * a prefix would let a trace's text carry data out in a query string.
 */
export const externalLinks = {
  dataLoader: 'https://docs.pytorch.org/docs/stable/data.html',
  pinnedMemory: 'https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html',
  cudaBestPractices: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html',
} as const;

const allowed: ReadonlySet<string> = new Set(Object.values(externalLinks));

/** Opens `url` in the browser where it is on the list; resolves to whether it was. */
export async function openExternalLink(url: string): Promise<boolean> {
  if (!allowed.has(url)) return false;
  await shell.openExternal(url);
  return true;
}
