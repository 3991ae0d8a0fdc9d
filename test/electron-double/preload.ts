import { readFile } from 'node:fs/promises';

const ENVIRONMENT = new URL('./preload-environment.js', import.meta.url);

/** The init script that runs the built preload at `path`. Text, since the page's CSP forbids eval. */
export async function preloadScript(path: string): Promise<string> {
  if (!path.endsWith('.cjs') && !path.endsWith('.js')) {
    throw new Error(`electron double: a sandboxed preload is one CommonJS file, not ${path}`);
  }
  const [environment, preload] = await Promise.all([
    readFile(ENVIRONMENT, 'utf8'),
    readFile(path, 'utf8'),
  ]);
  return `(() => {
${environment}
runPreload((require, module, exports) => {
${preload}
});
})()`;
}
