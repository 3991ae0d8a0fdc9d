/** A zip's first entry, or the end record of one that has none, APPNOTE 4.3.7 and 4.3.16. */
const SIGNATURES: ReadonlySet<string> = new Set(['504b0304', '504b0506']);

/** Whether a file that begins with these bytes is a zip, whatever its name. */
export function isArchive(head: Buffer): boolean {
  return SIGNATURES.has(head.toString('hex', 0, 4));
}
