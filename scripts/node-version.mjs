/** The oldest Node that runs Stalltrace: node:sqlite with an authorizer and limits, zstd, type stripping. */
export const OLDEST_NODE = '24.12';

/** The sentence a user on an older Node reads, or `undefined` where this Node is new enough. */
export function nodeVersionProblem(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Stalltrace needs Node ${OLDEST_NODE} or newer and this is Node ${version}: install Node ${OLDEST_NODE} or newer from nodejs.org (in a clone, on Linux, "npm ci" brings it along).`;
}

/** Ends the process with one sentence where Node is too old. Guards every build and test. */
export function requireNode24() {
  const problem = nodeVersionProblem();
  if (problem === undefined) return;
  console.error(problem);
  process.exit(1);
}
