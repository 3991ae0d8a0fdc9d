import type { ResolvedHost } from '../../config/resolved-host.ts';

/** A host of which the configuration says nothing else. */
export function testHost(name: string, more: Partial<ResolvedHost> = {}): ResolvedHost {
  return {
    name,
    target: { name },
    hostName: name,
    port: 22,
    user: 'me',
    keyName: name,
    identityFiles: [],
    identitiesOnly: false,
    jumps: [],
    strictHostKeyChecking: 'ask',
    knownHostsFiles: [],
    connectTimeoutMs: 5000,
    ...more,
  };
}
