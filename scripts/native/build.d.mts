export const SHIPPED_TARGETS: readonly string[];
export function fileName(target: string): string;
export function sourcesDigest(root: string): string;
export function canBuildHere(): boolean;
export function loadsShipped(): boolean;
export function buildNative(root: string, target: string, folder: string): string | undefined;
