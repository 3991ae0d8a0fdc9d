export function canBuild(arch: string): boolean;
