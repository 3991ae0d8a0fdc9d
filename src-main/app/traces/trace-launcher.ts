import { setTimeout as delay } from 'node:timers/promises';
import type { HostPlatform, LaunchedProcess } from '../../shared/platform.ts';
import { removeScratch, removeStaleScratch, scratchFolderOf } from './scratch-folders.ts';

/** A process that does not end within this time after SIGKILL hangs in the kernel. */
const END_LIMIT_MS = 2000;

export interface LaunchedTrace {
  readonly process: LaunchedProcess;
  readonly scratchFolder: string;
  /** Where large traces are kept for the next time. */
  readonly cacheFolder: string | undefined;
}

/** Starts trace processes and knows each until it and its scratch folder are gone. */
export class TraceLauncher {
  readonly #platform: HostPlatform;
  readonly #scratchParent: string;
  readonly #cacheFolder: string | undefined;
  readonly #running = new Map<LaunchedProcess, Promise<void>>();
  #staleRemoved = false;

  constructor(platform: HostPlatform, scratchParent: string, cacheFolder?: string) {
    this.#platform = platform;
    this.#scratchParent = scratchParent;
    this.#cacheFolder = cacheFolder;
  }

  launch(traceId: string): LaunchedTrace {
    if (!this.#staleRemoved) removeStaleScratch(this.#scratchParent);
    this.#staleRemoved = true;
    const launched = this.#platform.launch('trace-process', []);
    const scratchFolder = scratchFolderOf(this.#scratchParent, traceId);
    const gone = new Promise<void>((resolve) => {
      launched.onExit(() => resolve(removeScratch(scratchFolder)));
    });
    this.#running.set(launched, gone);
    void gone.then(() => this.#running.delete(launched));
    return { process: launched, scratchFolder, cacheFolder: this.#cacheFolder };
  }

  /** Kills every process, also those that still import, and waits until nothing of them is left. */
  async endAll(): Promise<void> {
    for (const launched of this.#running.keys()) launched.kill();
    const inTime = new AbortController();
    const limit = delay(END_LIMIT_MS, undefined, { signal: inTime.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running.values()), limit]);
    inTime.abort();
  }
}
