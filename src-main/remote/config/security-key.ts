import { readFileSync, statSync } from 'node:fs';

const LARGEST_KEY_FILE = 64 * 1024;

/** Whether a key lies on a security key (FIDO), which its public half says: ssh2 can't sign with those. */
export function isSecurityKey(privateKeyFile: string): boolean {
  const file = privateKeyFile.endsWith('.pub') ? privateKeyFile : `${privateKeyFile}.pub`;
  const line = readSmall(file);
  if (line !== undefined) return /^\s*sk-(ssh|ecdsa)-/.test(line);
  return holdsSecurityKey(readSmall(privateKeyFile) ?? '');
}

/** The public half stands in the clear in OpenSSH's own format, also of an encrypted key. */
function holdsSecurityKey(text: string): boolean {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(text)?.[1];
  if (body === undefined) return false;
  const head = Buffer.from(body, 'base64').subarray(0, 512).toString('latin1');
  return /sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com/.test(head);
}

function readSmall(path: string): string | undefined {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > LARGEST_KEY_FILE) return undefined;
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
