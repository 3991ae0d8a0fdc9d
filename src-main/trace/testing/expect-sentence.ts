import { expect } from 'vitest';
import type { Failure } from '../../shared/rpc/result.ts';

/** Whatever was in a file, who opened it gets one line that names it, and a code that programs know. */
export function expectSentence({ code, message }: Failure<string>, fileName: string): void {
  expect(code).toMatch(/^(?:file|beside)-[a-z-]+$/);
  expect(message).toContain(`“${fileName}”`);
  expect(message).toMatch(/^[^\n]{20,}[.!?]$/);
}
