// What a shell or the configuration would read as more than a name; ssh refuses most of it since 9.6.
const ODD_HOST = /^-|[^A-Za-z0-9._:%\u0080-\u{10ffff}-]/u;
const ODD_USER = /^-|['"`$;&<>|(){}\s\p{Cc}]|\\$/u;
const ODD_JUMPS = /^-|['"`$;&<>|(){}\s\p{Cc}\\]/u;

/** Whether a host's name and its user stay what they are in a command that a shell reads (CVE-2023-51385). */
export function isShellSafe(name: string, user?: string): boolean {
  return !ODD_HOST.test(name) && (user === undefined || !ODD_USER.test(user));
}

/** Likewise for a `ProxyJump`. */
export function areJumpsShellSafe(jumps: string): boolean {
  return !ODD_JUMPS.test(jumps);
}
