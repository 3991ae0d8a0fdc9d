import type { HostList, HostTarget, KnownHost } from '../shared/remote/host-target.ts';
import type { Result } from '../shared/rpc/result.ts';
import type { ConfigEnvironment } from './config/config-environment.ts';
import { readHostList } from './config/read-host-list.ts';
import { resolveHost } from './config/resolve-host.ts';
import type { HostStore } from './state/host-store.ts';
import type { StateError } from './state/state-file.ts';
import { hostAddress } from './transport/host-address.ts';

/** Hosts that can be chosen: saved ones, then those of the SSH configuration. */
export async function listHosts(
  store: HostStore,
  environment: ConfigEnvironment,
  signal: AbortSignal,
): Promise<HostList> {
  const configured = readHostList(environment);
  const lastConnected = await store.lastConnected();
  const saved = await store.list();
  const addressed = await Promise.all(saved.map((host) => withAddress(host, environment, signal)));
  const dated = configured.hosts.map((host) => {
    const last = lastConnected[host.target.name];
    return last === undefined ? host : { ...host, lastConnected: last };
  });
  return { ...configured, hosts: [...addressed, ...dated] };
}

export async function saveHost(
  store: HostStore,
  host: { readonly id?: string | undefined; readonly label: string; readonly target: HostTarget },
  environment: ConfigEnvironment,
  signal: AbortSignal,
): Promise<Result<KnownHost, StateError | 'not-found'>> {
  const saved = await store.save(host);
  if (!saved.ok) return saved;
  return { ok: true, value: await withAddress(saved.value, environment, signal) };
}

/** What the configuration makes of it; nothing of that is run, and what can't be read is left out. */
async function withAddress(
  host: KnownHost,
  environment: ConfigEnvironment,
  signal: AbortSignal,
): Promise<KnownHost> {
  const resolved = await resolveHost(host.target, { environment, signal });
  return resolved.ok ? { ...host, address: hostAddress(resolved.value) } : host;
}
