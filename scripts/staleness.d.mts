export const BUILT_STAMP: string;
export function isBuildCurrent(root: string): boolean;
export function changeOf(path: string): number;
