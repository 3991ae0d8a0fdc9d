export const OLDEST_NODE: string;
export function nodeVersionProblem(version?: string): string | undefined;
export function requireNode24(): void;
