/** How long a file made by the page is kept for the browser to write it, ms. */
const KEEP_MS = 60_000;

/** Hands a file that the page made to the browser's downloads. */
export function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}

/** `name` without what file systems forbid or hide. */
export function safeFileName(name: string): string {
  const safe = name
    .replaceAll(/[^\p{L}\p{N}._ -]+/gu, '-')
    .replace(/^[. -]+/, '')
    .slice(0, 80)
    .trim();
  return safe === '' ? 'timeline' : safe;
}
