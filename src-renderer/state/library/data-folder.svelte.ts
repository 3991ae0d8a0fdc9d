import type { Api } from '../../../src-main/contract/api.ts';
import type { DataFolderInfo } from '../../../src-main/shared/library/settings.ts';
import type { Failure } from '../../../src-main/shared/rpc/result.ts';

/** The folder of the library, and the one from the next start on. */
export class DataFolder {
  readonly #api: Api;
  #info = $state.raw<DataFolderInfo | undefined>();
  #failure = $state.raw<Failure | undefined>();
  #busy = $state(false);

  constructor(api: Api) {
    this.#api = api;
  }

  get info(): DataFolderInfo | undefined {
    return this.#info;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  get busy(): boolean {
    return this.#busy;
  }

  async load(): Promise<void> {
    const info = await this.#api.call('settings.dataFolder', {});
    this.#failure = info.ok ? undefined : info.error;
    if (info.ok) this.#info = info.value;
  }

  /** Asks with the system's dialog; `undefined` where the user changed their mind, or it could not be shown. */
  async choose(): Promise<string | undefined> {
    const chosen = await this.#api.call('settings.chooseFolder', {});
    this.#failure = chosen.ok ? undefined : chosen.error;
    return chosen.ok ? (chosen.value ?? undefined) : undefined;
  }

  /** Uses another folder from the next start on; whether that is settled. */
  async move(path: string, copy: boolean): Promise<boolean> {
    this.#busy = true;
    const moved = await this.#api.call('settings.moveDataFolder', { path, copy });
    this.#busy = false;
    this.#failure = moved.ok ? undefined : moved.error;
    if (moved.ok) this.#info = moved.value;
    return moved.ok;
  }
}
