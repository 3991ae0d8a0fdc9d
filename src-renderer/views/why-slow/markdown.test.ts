import { expect, test } from 'vitest';
import { codeSpan, escapeMarkdown } from './markdown.ts';

test.each([
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
  ['# heading', '\\# heading'],
  ['1. list', '1\\. list'],
  ['[text](target)', '\\[text\\](target)'],
  ['ask @someone about #12', 'ask @<!-- -->someone about #<!-- -->12'],
  ['see https://example.test', 'see https:<!-- -->//example.test'],
  ['line\nbreak', 'line␊break'],
])('%j is literal in Markdown', (text, expected) => {
  expect(escapeMarkdown(text)).toBe(expected);
});

test.each([
  ['cudaMemcpyAsync', '`cudaMemcpyAsync`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['', '` `'],
])('%j stays one code span', (text, expected) => {
  expect(codeSpan(text)).toBe(expected);
});
