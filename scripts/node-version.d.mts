export const OLDEST_NODE: number;
export function nodeVersionProblem(version?: string): string | undefined;
export function requireNode24(): void;
