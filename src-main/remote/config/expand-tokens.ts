import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { ConfigEnvironment } from './config-environment.ts';

/** What the %tokens of ssh_config(5) stand for. */
export interface TokenValues {
  readonly hostName: string;
  readonly originalHost: string;
  readonly port: number;
  readonly user: string;
  readonly hostKeyAlias?: string;
  readonly jump?: string;
}

/** `%h`, `%p`, … of `text`; what is no token stays as it is. */
export function expandTokens(
  text: string,
  values: TokenValues,
  environment: ConfigEnvironment,
): string {
  return text.replace(/%(.)/gu, (whole, token: string) =>
    token === '%' ? '%' : (tokenValue(token, values, environment) ?? whole),
  );
}

function tokenValue(
  token: string,
  values: TokenValues,
  environment: ConfigEnvironment,
): string | undefined {
  const here = environment.localHostName;
  switch (token) {
    case 'h':
      return values.hostName;
    case 'n':
      return values.originalHost;
    case 'k':
      return values.hostKeyAlias ?? values.originalHost;
    case 'p':
      return String(values.port);
    case 'r':
      return values.user;
    case 'j':
      return values.jump ?? '';
    case 'C':
      return connectionHash(values, here);
    default:
      return staticToken(token, environment);
  }
}

function staticToken(token: string, environment: ConfigEnvironment): string | undefined {
  switch (token) {
    case 'u':
      return environment.userName;
    case 'i':
      return String(environment.uid);
    case 'd':
      return environment.homeFolder;
    case 'l':
      return environment.localHostName;
    case 'L':
      return environment.localHostName.replace(/\..*/, '');
    default:
      return undefined;
  }
}

function connectionHash(values: TokenValues, here: string): string {
  return createHash('sha1')
    .update(here + values.hostName + values.port + values.user)
    .digest('hex');
}

/** `~`, `%tokens` and `${VARIABLES}` of a path, in OpenSSH's order; the path it makes is absolute. */
export function expandPath(
  path: string,
  values: TokenValues,
  environment: ConfigEnvironment,
): string {
  const expanded = expandVariables(
    expandTokens(expandTilde(path, environment), values, environment),
    environment,
  );
  return isAbsolute(expanded) ? expanded : join(environment.homeFolder, expanded);
}

/** `${NAME}`; a variable that is not set stays as it is written. */
export function expandVariables(text: string, environment: ConfigEnvironment): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (whole, name: string) => environment.env[name] ?? whole,
  );
}

/** `~` and `~name` at the begin of a path. */
export function expandTilde(path: string, environment: ConfigEnvironment): string {
  const parts = /^~([^/\\]*)(.*)$/s.exec(path);
  if (parts === null) return path;
  const [, name = '', rest = ''] = parts;
  const home = name === '' ? environment.homeFolder : homeOf(name);
  return home === undefined ? path : home + rest;
}

function homeOf(name: string): string | undefined {
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    return line?.split(':')[5];
  } catch {
    return undefined;
  }
}
