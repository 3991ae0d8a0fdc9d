export function isNativeCurrent(root: string): boolean;
export function provideNative(root: string): string | undefined;
