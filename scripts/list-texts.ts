// `npm run texts`: every sentence of the sources that a user may meet, by file, in test/artifacts/texts.md: to be read
// through as somebody who never saw the product. `…` stands for what is filled in. Not those of the agent.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'svelte/compiler';
import ts from 'typescript';
import { root } from '../test/support/built.ts';

/** What has fewer words is a label, or no text at all. */
const FEWEST_WORDS = 3;
const isText = (text: string) =>
  text.split(/\s+/).filter((word) => /^[“‘(]?[\p{L}’'-]{2,}[.,:;!?)”’]*$/u.test(word)).length >=
    FEWEST_WORDS && !/^(SELECT|INSERT|CREATE|UPDATE|DELETE|WITH|PRAGMA)\b/.test(text.trim());

const tidy = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Strings and templates of a module. What joins several by + is listed in parts. */
function textsOfScript(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push(
        [node.head.text, ...node.templateSpans.map(({ literal }) => `…${literal.text}`)].join(''),
      );
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('module.ts', code, ts.ScriptTarget.Latest, true));
  return found;
}

interface MarkupNode {
  readonly type?: string;
  readonly data?: string;
  readonly [key: string]: unknown;
}

/** What stands in the markup of a component, and in its attributes. */
function textsOfMarkup(node: unknown): string[] {
  if (Array.isArray(node)) {
    const texts: string[] = [];
    let run = '';
    const flush = () => {
      if (run !== '') texts.push(run);
      run = '';
    };
    for (const child of node as readonly MarkupNode[]) {
      // A sentence goes on behind what is filled in.
      if (child?.type === 'Text') run += child.data ?? '';
      else if (child?.type === 'ExpressionTag') run += '…';
      else {
        flush();
        texts.push(...textsOfMarkup(child));
      }
    }
    flush();
    return texts;
  }
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node as MarkupNode).flatMap(([key, child]) =>
    key === 'css' || key === 'instance' || key === 'module' ? [] : textsOfMarkup(child),
  );
}

function textsOf(path: string): string[] {
  const code = readFileSync(join(root, path), 'utf8');
  if (!path.endsWith('.svelte')) return textsOfScript(code);
  const { fragment } = parse(code, { modern: true });
  const script = /<script[^>]*>([\s\S]*?)<\/script>/.exec(code)?.[1] ?? '';
  const markup = code.replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '');
  // Texts inside of braces are those of a script too.
  const inBraces = [...markup.matchAll(/\{([^{}]*)\}/g)].flatMap(([, part = '']) =>
    textsOfScript(part),
  );
  return [...textsOfScript(script), ...textsOfMarkup(fragment), ...inBraces];
}

const files = globSync('{src-main,src-renderer}/**/*.{ts,svelte}', { cwd: root })
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
  .sort();
const sections = files.flatMap((path) => {
  const texts = [...new Set(textsOf(path).map(tidy).filter(isText))];
  return texts.length === 0 ? [] : [`## ${path}\n\n${texts.map((text) => `- ${text}`).join('\n')}`];
});
const target = join(root, 'test/artifacts/texts.md');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `# What a user may read\n\n${sections.join('\n\n')}\n`);
console.log(`${sections.length} files: ${target}`);
