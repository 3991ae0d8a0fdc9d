import { createHash } from 'node:crypto';
import type { ServerHostKeyAlgorithm } from 'ssh2';
import type { HostKey } from '../../shared/remote/questions.ts';
import { cleanText } from '../../shared/text.ts';
import { keyTypeOf } from './ssh-wire.ts';

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

/** A key in wire format as people compare it. */
export function hostKeyOf(blob: Buffer): HostKey {
  const digest = createHash('sha256').update(blob).digest('base64').replace(/=+$/, '');
  return { type: cleanText(keyTypeOf(blob) ?? 'unknown', 80), fingerprint: `SHA256:${digest}` };
}
