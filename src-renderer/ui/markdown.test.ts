import { render } from 'svelte/server';
import { expect, test } from 'vitest';
import Markdown from './Markdown.svelte';

function htmlOf(text: string): string {
  return render(Markdown, { props: { text } }).body.replace(/<!--.*?-->/gs, '');
}

test('headings, tables, lists and code are elements', () => {
  const html = htmlOf('# A\n\n| x |\n|--:|\n| 1 |\n\n2. b\n\n```mermaid\ngantt\n```\n\n**c** `d`');
  expect(html).toMatch(/<h3[^>]*>\s*A\s*<\/h3>/);
  expect(html).toMatch(/<td class="right[^>]*>\s*1\s*<\/td>/);
  expect(html).toMatch(/<ol start="2"/);
  expect(html).toMatch(/<pre[^>]*>gantt<\/pre>/);
  expect(html).toMatch(/<strong[^>]*>\s*c\s*<\/strong>/);
});

test('words keep the spaces between them and get no others', () => {
  expect(
    htmlOf('a **b**c `d`.')
      .replace(/<[^>]+>/g, '')
      .trim(),
  ).toBe('a bc d.');
});

test.each([
  '<script>alert(1)</script>',
  '<img src="https://elsewhere.test/p.png" onerror="alert(1)">',
  '![p](https://elsewhere.test/p.png)',
  '[l](javascript:alert(1))',
  '<a href="javascript:alert(1)">l</a>',
  '<https://elsewhere.test>',
  '[![p](https://elsewhere.test/p.png)](https://elsewhere.test)',
  '```"><img src=x>\ncode\n```',
  '<details>\n<summary>a"><img src=x></summary>\n\n</details>',
  '<iframe srcdoc="<img src=x>"></iframe>',
])('%s makes no element that acts or loads', (text) => {
  const html = htmlOf(`before\n\n${text}\n\nafter`);
  expect(html).not.toMatch(/<(script|img|a|iframe|style|link|object|embed|form|input)\b/i);
  expect(html).not.toMatch(/<[^>]+\s(on\w+|href|src|srcdoc|style)=/i);
});
