import { homedir, hostname, userInfo } from 'node:os';

/** What reading an SSH configuration depends on beside the files themselves. */
export interface ConfigEnvironment {
  /** The user's configuration instead of `~/.ssh/config`; then the machine's is not read, as with `ssh -F`. */
  readonly configFile?: string;
  /** The machine's; absent: `/etc/ssh/ssh_config`. */
  readonly systemConfigFile?: string;
  readonly homeFolder: string;
  /** Who runs the app: the default user, and `Match localuser`. */
  readonly userName: string;
  readonly uid: number;
  /** This machine's name: %l and %L. */
  readonly localHostName: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** Of this process. */
export function configEnvironment(): ConfigEnvironment {
  const user = userInfo();
  return {
    homeFolder: homedir(),
    userName: user.username,
    uid: user.uid,
    localHostName: hostname(),
    env: process.env,
    platform: process.platform,
  };
}
