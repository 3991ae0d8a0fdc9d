export interface NativeManifest {
  readonly sources: string;
  /** SHA-256 of the library of each target. */
  readonly files: Readonly<Record<string, string>>;
}
export function shippedPath(root: string, target: string): string;
export function readManifest(root: string): NativeManifest | undefined;
export function isShipped(root: string, target: string, sources: string): boolean;
export function shippedProblems(
  root: string,
  sources: string,
): { readonly problems: readonly string[]; readonly isStale?: boolean };
export function writeShipped(
  root: string,
  sources: string,
  built: Readonly<Record<string, Uint8Array>>,
): void;
