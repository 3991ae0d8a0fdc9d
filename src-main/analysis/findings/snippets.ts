/**
 * Parts of the Python that findings show. Snippets run after test/support/snippet-setup.py, which
 * has the names that a reader has too: `dataset`, `model`, `device`.
 */

/** A loader as most jobs write it, with one thing that matters. */
export function loaderLine(option: string): string {
  return `loader = DataLoader(dataset, batch_size=32, shuffle=True, ${option})`;
}
