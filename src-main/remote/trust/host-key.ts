import { createHash } from 'node:crypto';
import type { HostKey } from '../../shared/remote/questions.ts';

/** Public keys in SSH's wire format: a name of the type, then what is its own (RFC 4253 §6.6). */

const LONGEST_TYPE = 64;

/** The type that a key says it is of; undefined where it is no key. */
export function keyTypeOf(blob: Buffer): string | undefined {
  if (blob.length < 4) return undefined;
  const length = blob.readUInt32BE(0);
  if (length === 0 || length > LONGEST_TYPE || blob.length <= 4 + length) return undefined;
  const type = blob.toString('latin1', 4, 4 + length);
  return /^[A-Za-z0-9@._+-]+$/.test(type) ? type : undefined;
}

/** As OpenSSH prints it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

export function describeKey(blob: Buffer): HostKey {
  return { type: keyTypeOf(blob) ?? 'unknown', fingerprint: fingerprintOf(blob) };
}
