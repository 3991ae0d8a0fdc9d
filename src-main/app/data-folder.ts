import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The folder with the user's library, the same for all hosts: `STALLTRACE_DATA_DIR`, else the
 * platform's own place (XDG Base Directory, macOS and Windows conventions).
 */
export function dataFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { STALLTRACE_DATA_DIR: own, XDG_DATA_HOME: xdg, APPDATA: appData } = environment;
  if (own !== undefined && own !== '') return own;
  if (platform === 'darwin') {
    return join(homedir(), 'Library', 'Application Support', 'Stalltrace');
  }
  if (platform === 'win32') {
    return join(appData ?? join(homedir(), 'AppData', 'Roaming'), 'Stalltrace');
  }
  return join(xdg?.startsWith('/') ? xdg : join(homedir(), '.local', 'share'), 'stalltrace');
}
