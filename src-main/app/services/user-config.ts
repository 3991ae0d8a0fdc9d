import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../system/replace-file.ts';

/** The one choice that can't be kept in the library: where the library is. */
const config = z.object({ dataFolder: z.string().min(1).max(4096).optional() });

interface UserConfig {
  readonly dataFolder?: string;
  /** Why the file was not followed. */
  readonly notice?: string;
}

const MAX_BYTES = 64 * 1024;

/** `config.json` in `XDG_CONFIG_HOME/stalltrace`, or where macOS and Windows keep such files. */
export function configFile(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = environment;
  if (platform === 'darwin') {
    return join(homedir(), 'Library', 'Preferences', 'Stalltrace', 'config.json');
  }
  if (platform === 'win32') {
    return join(appData ?? join(homedir(), 'AppData', 'Roaming'), 'Stalltrace', 'config.json');
  }
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.config'), 'stalltrace', 'config.json');
}

/** Reads the file; one that is hostile, damaged or not to be read is not followed, and says so. */
export function readConfig(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): UserConfig {
  const path = configFile(environment, platform);
  try {
    const text = readText(path);
    if (text === undefined) return {};
    const { dataFolder } = config.parse(JSON.parse(text));
    if (dataFolder === undefined) return {};
    if (isAbsolute(dataFolder) && !dataFolder.includes('\0')) return { dataFolder };
    return ignored(path, 'its data folder is not an absolute path');
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    return ignored(path, code === undefined ? 'it is not what Stalltrace writes' : code);
  }
}

function ignored(path: string, why: string): UserConfig {
  return { notice: `The settings in ${path} are ignored: ${why}. Correct or delete that file.` };
}

/** `undefined` where there is no such file. Anything but a short plain file is refused unread. */
function readText(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile() || status.size > MAX_BYTES) throw new TypeError('no short plain file');
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Writes the file as a whole or not at all. Throws where its folder can't be written. */
export async function writeConfig(dataFolder: string, path: string = configFile()): Promise<void> {
  await replaceFile(path, `${JSON.stringify({ dataFolder }, null, 2)}\n`);
}
