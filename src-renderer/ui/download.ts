/** How long a file made by the page is kept for the browser to write it, ms. */
const KEEP_MS = 60_000;

/** Hands a file that the page made to the browser's downloads; the desktop asks where it goes. */
export function download(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  downloadFrom(address, name);
  setTimeout(() => URL.revokeObjectURL(address), KEEP_MS);
}

/** Hands what is at `address` to the browser's downloads; without a name the server gives it. */
export function downloadFrom(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
