import { createPublicKey, type KeyObject } from 'node:crypto';
import { wireNumber, wireString } from './ssh-wire.ts';

/** As JSON Web Keys; others (DSA, Ed448) are not for SSH, or not any more. */
const EXPORTABLE: readonly string[] = ['rsa', 'ec', 'ed25519'];

const CURVES: Readonly<Record<string, string>> = {
  'P-256': 'nistp256',
  'P-384': 'nistp384',
  'P-521': 'nistp521',
};

/** The public part of an RSA, ECDSA or Ed25519 key in wire format (RFC 4253 §6.6, 5656 §3.1, 8709 §4). */
export function publicBlobOf(key: KeyObject): Buffer | undefined {
  if (!EXPORTABLE.includes(key.asymmetricKeyType ?? '')) return undefined;
  const { kty, crv = '', n, e, x, y } = createPublicKey(key).export({ format: 'jwk' });
  if (kty === 'RSA' && n !== undefined && e !== undefined)
    return Buffer.concat([wireString('ssh-rsa'), wireNumber(bytes(e)), wireNumber(bytes(n))]);
  if (kty === 'OKP' && crv === 'Ed25519' && x !== undefined)
    return Buffer.concat([wireString('ssh-ed25519'), wireString(bytes(x))]);
  const curve = CURVES[crv];
  if (kty !== 'EC' || curve === undefined || x === undefined || y === undefined) return undefined;
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
  return Buffer.concat([wireString(`ecdsa-sha2-${curve}`), wireString(curve), wireString(point)]);
}

function bytes(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}
