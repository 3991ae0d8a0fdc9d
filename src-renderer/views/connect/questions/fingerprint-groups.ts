/** A fingerprint in parts that the eye can compare: `SHA256:` and groups of four characters. */
export function fingerprintGroups(fingerprint: string): {
  readonly prefix: string;
  readonly groups: readonly string[];
} {
  const at = fingerprint.indexOf(':') + 1;
  return {
    prefix: fingerprint.slice(0, at),
    groups: fingerprint.slice(at).match(/.{1,4}/gsu) ?? [],
  };
}
