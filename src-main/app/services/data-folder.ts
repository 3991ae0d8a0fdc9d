import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DataFolderInfo } from '../../shared/library/settings.ts';
import { configFile, readConfig } from './user-config.ts';

/** The folder with the user's library, and what decided on it. */
export interface DataFolder extends Pick<DataFolderInfo, 'path' | 'from'> {
  /** Why the user's configuration was not followed. */
  readonly notice?: string;
}

/**
 * The same for all hosts: `STALLTRACE_DATA_DIR`, else the folder that the user's settings name, else
 * the platform's own place (XDG Base Directory, macOS and Windows conventions).
 */
export function findDataFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): DataFolder {
  const { STALLTRACE_DATA_DIR: own } = environment;
  if (own !== undefined && own !== '') return { path: own, from: 'environment' };
  const { dataFolder, notice } = readConfig(environment, platform);
  if (dataFolder !== undefined) return { path: dataFolder, from: 'setting' };
  const path = platformFolder(environment, platform);
  return { path, from: 'platform', ...(notice !== undefined && { notice }) };
}

/** What to do where the folder can't be made or written: its disk may not be there. */
export function unusableFolder({ path, from }: DataFolder): string {
  const elsewhere = {
    setting: `or delete ${configFile()} to go back to the usual place`,
    environment: 'or set STALLTRACE_DATA_DIR to another folder',
    platform: 'or set STALLTRACE_DATA_DIR to a folder of yours',
  } as const;
  return `The data folder ${path} can't be used: connect the disk it is on, check its permissions, ${elsewhere[from]}.`;
}

export const LIBRARY_FILE = 'library.db';
/** Written into a folder when it is chosen, before there is a library in it. */
export const CHOSEN_MARK = '.stalltrace-data';

/** Whether a folder that was chosen is there, and not the empty place where its disk is mounted. */
export function isThere(path: string): boolean {
  return [LIBRARY_FILE, CHOSEN_MARK].some((name) => existsSync(join(path, name)));
}

/** Why a host must not start: in a folder whose disk is gone it would begin an empty library. */
export function absentFolder({ path, from }: DataFolder): string | undefined {
  if (from !== 'setting' || isThere(path)) return undefined;
  return `The data folder ${path} holds no library: connect the disk it is on, or remove "dataFolder" from ${configFile()} to go back to the usual place.`;
}

let isNoticeTold = false;

/** Its path, for hosts with a terminal, where a configuration that is not followed is told once. */
export function dataFolder(): string {
  const { path, notice } = findDataFolder();
  if (notice !== undefined && !isNoticeTold) console.error(`stalltrace: ${notice}`);
  isNoticeTold ||= notice !== undefined;
  return path;
}

function platformFolder(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { XDG_DATA_HOME: xdg, APPDATA: appData } = environment;
  if (platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'Stalltrace');
  }
  if (platform === 'win32') {
    return join(appData ?? join(homedir(), 'AppData', 'Roaming'), 'Stalltrace');
  }
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.local', 'share'), 'stalltrace');
}
