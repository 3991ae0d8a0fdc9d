import { isIPv6 } from 'node:net';
import { type HostTarget, hostTarget } from '../../shared/remote/host-target.ts';

/** `user@host:port`, `[2001:db8::1]:22`, `ssh://user@host:port`; undefined where it is none. */
export function parseHop(text: string): HostTarget | undefined {
  const uri = /^ssh:\/\//i.test(text);
  const bare = uri ? text.slice('ssh://'.length).replace(/\/$/, '') : text;
  const at = bare.lastIndexOf('@');
  const user =
    at === -1 ? undefined : decode(bare.slice(0, at).replace(/;.*/s, uri ? '' : '$&'), uri);
  const address = splitPort(bare.slice(at + 1));
  if (address === undefined || user === '' || (at !== -1 && user === undefined)) return undefined;
  const target = hostTarget.safeParse({
    name: address.host,
    ...(user === undefined ? {} : { user }),
    ...(address.port === undefined ? {} : { port: address.port }),
  });
  return target.success ? target.data : undefined;
}

function decode(text: string, uri: boolean): string | undefined {
  if (!uri) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function splitPort(text: string): { host: string; port?: number } | undefined {
  const bracketed = /^\[([^[\]]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) return withPort(bracketed[1] ?? '', bracketed[2]);
  if (/[[\]/]/.test(text)) return undefined;
  const colons = text.split(':').length - 1;
  // An address of IPv6 without brackets has no port: there is no telling where it would begin.
  if (colons > 1) return isIPv6(text.replace(/%.*/, '')) ? { host: text } : undefined;
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(text);
  return plain === null ? undefined : withPort(plain[1] ?? '', plain[2]);
}

function withPort(host: string, port: string | undefined) {
  return port === undefined ? { host } : { host, port: Number(port) };
}

/** The hops of a `ProxyJump`, first hop first; undefined where one of them can't be read. */
export function parseJumps(text: string): readonly HostTarget[] | undefined {
  if (text.toLowerCase() === 'none') return [];
  const hops = text.split(',').map(parseHop);
  return hops.every((hop) => hop !== undefined) ? hops : undefined;
}
