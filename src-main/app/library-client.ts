import type { HostPlatform } from '../shared/platform.ts';
import type { LibraryProcessCalls } from '../shared/process-contract.ts';
import { createProcessClient, type ProcessClient } from './process-client.ts';

/** The process that owns the catalogue. */
export type LibraryClient = ProcessClient<LibraryProcessCalls>;

export function createLibraryClient(platform: HostPlatform, dataFolder: string): LibraryClient {
  return createProcessClient<LibraryProcessCalls>(platform, {
    entry: 'library-process',
    args: [dataFolder],
    died: {
      code: 'library-unavailable',
      message: 'The library process ended unexpectedly: try again.',
    },
  });
}
