import type { ServerHostKeyAlgorithm } from 'ssh2';

/** In OpenSSH's order; without those that it has given up (ssh-rsa with SHA-1, ssh-dss). */
const BY_TYPE: readonly (readonly [string, readonly ServerHostKeyAlgorithm[]])[] = [
  ['ssh-ed25519', ['ssh-ed25519']],
  ['ecdsa-sha2-nistp256', ['ecdsa-sha2-nistp256']],
  ['ecdsa-sha2-nistp384', ['ecdsa-sha2-nistp384']],
  ['ecdsa-sha2-nistp521', ['ecdsa-sha2-nistp521']],
  ['ssh-rsa', ['rsa-sha2-512', 'rsa-sha2-256']],
];

/**
 * The algorithms to ask a host's key for: of the types that are known first, since a host that shows
 * another of its keys would look like a stranger.
 */
export function hostKeyAlgorithms(knownTypes: readonly string[]): ServerHostKeyAlgorithm[] {
  const known = knownTypes.flatMap((type) => BY_TYPE.filter(([name]) => name === type));
  const others = BY_TYPE.filter((entry) => !known.includes(entry));
  return [...known, ...others].flatMap(([, algorithms]) => algorithms);
}
