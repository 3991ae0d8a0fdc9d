import type { LibraryProcessCalls } from '../../shared/contract/library-process-calls.ts';
import type { LibraryHealth } from '../../shared/library/library-health.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { createProcessClient, type ProcessClient } from './process-client.ts';

/** The process that owns the catalogue. */
export interface LibraryClient extends Pick<ProcessClient<LibraryProcessCalls>, 'call'> {
  /** Its log is in its file, and what is new in a backup, unless that takes too long. */
  close(): Promise<void>;
}

/** A library of 20,000 notes takes half a second, on a slow disk a few. */
const END_WITHIN_MS = 4_000;

/** `onTrouble`: the library could be used until now, or there is another reason why it can't. */
export function createLibraryClient(
  platform: HostPlatform,
  dataFolder: string,
  onTrouble: () => void = () => undefined,
): LibraryClient {
  const client = createProcessClient<LibraryProcessCalls>(platform, {
    entry: 'library-process',
    args: [dataFolder],
    died: {
      code: 'library-unavailable',
      message: 'The library process ended unexpectedly: try again.',
    },
  });
  const last = {
    call: (process: Pick<typeof client, 'call'>) => process.call('end', {}),
    withinMs: END_WITHIN_MS,
  };
  let told: string | undefined;
  return {
    async call(name, args, options) {
      const result = await client.call(name, args, options);
      if (!result.ok && result.error.code === 'library-unavailable') {
        const isNews = told !== result.error.message;
        told = result.error.message;
        if (isNews) onTrouble();
      } else if (result.ok && name === 'health') {
        told = (result.value as LibraryHealth).message;
      }
      return result;
    },
    close: () => client.close(last),
  };
}
