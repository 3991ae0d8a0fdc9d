export function isNativeCurrent(root: string): boolean;
export function provideNative(root: string, say?: (sentence: string) => void): string | undefined;
