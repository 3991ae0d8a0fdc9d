export interface BuiltFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}
export interface Ingredients {
  readonly tools: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}
export interface Build extends Ingredients {
  readonly arch: string;
  readonly version: string;
  readonly files: readonly BuiltFile[];
}
export interface BuildResult {
  readonly built?: { readonly folder: string; readonly build: Build };
  readonly missing?: { readonly why: string; readonly next: string; readonly failed?: boolean };
}
export const AGENT_FILES: readonly string[];
export function buildFolder(root: string, arch: string): string;
export function aloneIn<T>(folder: string, action: () => T): T;
export function make(root: string, folder: string, arch: string, out: string): boolean;
export function buildOne(root: string, arch: string): BuildResult;
export function describeFiles(folder: string): BuiltFile[];
export function ingredients(root: string, arch: string): Ingredients;
