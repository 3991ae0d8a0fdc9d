const DEFAULT_PORT = 22;

/** The name a host's key is known under: an alias as it is, else the host, in brackets with another port. */
export function hostNameForKnownHosts(
  hostName: string,
  port: number,
  alias: string | undefined,
): string {
  if (alias !== undefined) return alias;
  return port === DEFAULT_PORT ? hostName : `[${hostName}]:${port}`;
}
