// What `npm run check` makes of what is shipped as it was built, and may be of other sources by now.

/**
 * Prints `problems`; the exit code for them. Whoever works on the sources ships when a piece is done: till then CI alone
 * refuses what `isStale`.
 */
export function tellShipped({ problems, isStale }) {
  const isRefused = problems.length > 0 && (!isStale || process.env.CI === 'true');
  for (const problem of problems) {
    if (isRefused) console.error(problem);
    else console.log(`!!! NOT SHIPPED: ${problem}`);
  }
  return isRefused ? 1 : 0;
}
