// Puts the capture agents into out/agent, at once: those of resources/agent where agent/ is what these were built
// from, else built here. Says which are missing and why, and ends well all the same: the app works without.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingSentences, provideAgents } from './agent/provide.mjs';
import { requireNode24 } from './node-version.mjs';

requireNode24();
const root = dirname(dirname(fileURLToPath(import.meta.url)));
provideAgents(root);
for (const sentence of missingSentences(root)) console.log(sentence);
