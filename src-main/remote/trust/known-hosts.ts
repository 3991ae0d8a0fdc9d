import { createHmac, randomBytes } from 'node:crypto';
import { matchHostNames } from '../config/match-pattern.ts';
import { keyTypeOf } from './host-key.ts';

/** One line of a known_hosts file: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. */
export interface KnownHostsLine {
  /** From 1. */
  readonly line: number;
  readonly marker?: 'revoked' | 'cert-authority';
  /** Names and patterns, separated by commas; or one name hashed (`|1|…`). */
  readonly names: string;
  readonly type: string;
  /** In SSH's wire format. */
  readonly blob: Buffer;
  readonly comment: string;
}

const LONGEST_LINE = 64 * 1024;

/** The lines that hold a key; comments, and lines that ssh can't read either, are passed over. */
export function parseKnownHosts(text: string): readonly KnownHostsLine[] {
  return text.split('\n').flatMap((line, index) => parseLine(line, index + 1) ?? []);
}

function parseLine(text: string, line: number): KnownHostsLine | undefined {
  if (text.length > LONGEST_LINE) return undefined;
  let rest = text.replace(/^[ \t]+/, '').replace(/[ \t\r]+$/, '');
  if (rest === '' || rest.startsWith('#')) return undefined;
  let marker: KnownHostsLine['marker'];
  if (rest.startsWith('@')) {
    const marked = /^@(revoked|cert-authority)[ \t]+(.*)$/s.exec(rest);
    if (marked === null) return undefined;
    marker = marked[1] === 'revoked' ? 'revoked' : 'cert-authority';
    rest = marked[2] ?? '';
  }
  const fields = /^([^ \t]+)[ \t]+([^ \t]+)[ \t]+([^ \t]+)(?:[ \t]+(.*))?$/s.exec(rest);
  if (fields === null) return undefined;
  const [, names = '', type = '', base64 = '', comment = ''] = fields;
  const blob = decodeKey(type, base64);
  if (blob === undefined) return undefined;
  return { line, ...(marker === undefined ? {} : { marker }), names, type, blob, comment };
}

/** The key, if it is of the type that the line says. */
function decodeKey(type: string, base64: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  const blob = Buffer.from(base64, 'base64');
  return keyTypeOf(blob) === type ? blob : undefined;
}

/** Whether a line speaks of `name`: `host`, or `[host]:port`, in lower case. */
export function namesHost(line: KnownHostsLine, name: string): boolean {
  if (!line.names.startsWith('|')) return matchHostNames(name, line.names) === 'yes';
  const [, salt = '', hash = ''] =
    /^\|1\|([A-Za-z0-9+/=]+)\|([A-Za-z0-9+/=]+)$/.exec(line.names) ?? [];
  return salt !== '' && hashOf(name, Buffer.from(salt, 'base64')) === hash;
}

/** HMAC-SHA1 of a name under a salt, as `HashKnownHosts` writes it. */
function hashOf(name: string, salt: Buffer): string {
  return createHmac('sha1', salt).update(name).digest('base64');
}

/** A name as it can be written: one with characters that mean something in these files, hashed. */
export function writtenName(name: string): string {
  if (/^[a-z0-9[][a-z0-9._:%[\]-]*$/.test(name)) return name;
  const salt = randomBytes(20);
  return `|1|${salt.toString('base64')}|${hashOf(name, salt)}`;
}
