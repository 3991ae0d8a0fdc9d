import type { HostList } from '../../shared/remote/host-target.ts';
import type { ConfigEnvironment } from './config-environment.ts';

/** The hosts that the user's SSH configuration names, in its order; nothing of it is run. Never throws. */
export function readHostList(environment: ConfigEnvironment): HostList {
  throw new Error(`not written yet: ${environment.homeFolder}`);
}
