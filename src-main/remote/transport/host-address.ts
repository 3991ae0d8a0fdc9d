import type { ResolvedHost } from '../config/resolved-host.ts';

/** `user@address:port`, an IPv6 address in brackets. */
export function hostAddress(host: ResolvedHost): string {
  return `${host.user}@${serverAddress(host)}`;
}

/** `address:port`. */
export function serverAddress({ hostName, port }: ResolvedHost): string {
  return `${hostName.includes(':') ? `[${hostName}]` : hostName}:${port}`;
}
