import { existsSync } from 'node:fs';
import { cleanText } from '../../shared/text/text.ts';
import type { HostOptions } from './evaluate-config.ts';
import { isSecurityKey } from './security-key.ts';

/** Why a host is for the system's `ssh` alone: a sentence; undefined where ssh2 can do what it needs. */
export function whyOnlySystemSsh(
  options: HostOptions,
  identityFiles: readonly string[],
  methods: readonly string[] | undefined,
): string | undefined {
  const because = reason(options, identityFiles, methods);
  return because === undefined
    ? undefined
    : `The SSH configuration of ${cleanText(options.name, 80)} ${because}.`;
}

function reason(
  options: HostOptions,
  identityFiles: readonly string[],
  methods: readonly string[] | undefined,
): string | undefined {
  const said = (keyword: string) => {
    const word = options.values.get(keyword)?.[0];
    return word === undefined || ['none', 'no', 'false'].includes(word.toLowerCase())
      ? undefined
      : word;
  };
  if (options.proxyCommand !== undefined && options.proxyCommand.toLowerCase() !== 'none') {
    return 'reaches it by a command of its own (ProxyCommand)';
  }
  if (options.certificateFiles.some((file) => file.toLowerCase() !== 'none')) {
    return 'signs in with a certificate (CertificateFile)';
  }
  const certified = identityFiles.find((file) => existsSync(`${file}-cert.pub`));
  if (certified !== undefined)
    return `signs in with a key that has a certificate (${cleanText(certified)}-cert.pub)`;
  const guarded = identityFiles.find(isSecurityKey);
  if (guarded !== undefined) return `signs in with a security key (${cleanText(guarded)})`;
  if (said('pkcs11provider') !== undefined) return 'signs in with a smart card (PKCS11Provider)';
  if (methods !== undefined && methods.length > 0 && methods.every(isLeftToSystem)) {
    return `allows only ${cleanText(methods.join(', '), 100)}`;
  }
  if (said('knownhostscommand') !== undefined)
    return 'asks a command for host keys (KnownHostsCommand)';
  if (said('revokedhostkeys') !== undefined)
    return 'has a list of revoked host keys (RevokedHostKeys)';
  if (said('canonicalizehostname') !== undefined) {
    return 'completes host names by asking the network (CanonicalizeHostname)';
  }
  if (said('bindaddress') !== undefined || said('bindinterface') !== undefined) {
    return 'says which of this machine’s addresses to use (BindAddress)';
  }
  return undefined;
}

function isLeftToSystem(method: string): boolean {
  return method.startsWith('gssapi') || method === 'hostbased';
}
