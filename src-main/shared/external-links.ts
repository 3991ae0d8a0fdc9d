/**
 * The only addresses outside that Stalltrace knows. The desktop hands these to the system's browser
 * and no others: whole addresses, since a prefix would let a trace's text carry data out in a query
 * string.
 */
export const externalLinks = {
  dataLoader: 'https://docs.pytorch.org/docs/stable/data.html',
  pinnedMemory: 'https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html',
  cudaBestPractices: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html',
} as const;

export type ExternalLinkName = keyof typeof externalLinks;
