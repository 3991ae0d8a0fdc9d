export const BUILT_STAMP: string;
export function isBuildCurrent(root: string): boolean;
