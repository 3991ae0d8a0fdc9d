#!/usr/bin/env node
// The `stalltrace` command of the npm package. Plain JavaScript that any Node can parse: an old
// one must reach the sentence instead of a stack trace.
import { nodeVersionProblem } from '../../scripts/node-version.mjs';

const problem = nodeVersionProblem();
if (problem === undefined) {
  await import('../../out/main/cli.js');
} else {
  console.error(problem);
  process.exit(1);
}
