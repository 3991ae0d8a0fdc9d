/** The oldest Node that runs Stalltrace: node:sqlite with an authorizer, zstd, type stripping. */
export const OLDEST_NODE = 24;

/** The sentence a user on an older Node reads, or `undefined` where this Node is new enough. */
export function nodeVersionProblem(version = process.versions.node) {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return undefined;
  return `Stalltrace needs Node ${OLDEST_NODE} or newer and this is Node ${version}: on Linux run "npm ci" in the project (it brings Node ${OLDEST_NODE} along), elsewhere install it from nodejs.org.`;
}

/** Ends the process with one sentence where Node is too old. Guards every build and test. */
export function requireNode24() {
  const problem = nodeVersionProblem();
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}
