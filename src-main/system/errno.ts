/** `ENOENT` and the like, of what a call to the operating system threw; empty for anything else. */
export function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
