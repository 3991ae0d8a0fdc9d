// `npm run ship-agent`: builds the agents for both architectures and writes them to resources/agent, compressed, with
// the digest of their sources. Where a second build in another folder gives other bytes it writes nothing.
// With --check, as `npm run check` runs it: says what is wrong with what is there.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOne, describeFiles, make } from './agent/build.mjs';
import { shippedProblems, writeShipped } from './agent/shipped.mjs';
import { sourcesDigest } from './agent/sources.mjs';
import { ARCHITECTURES } from './agent/toolchain.mjs';
import { requireNode24 } from './node-version.mjs';
import { tellShipped } from './tell-shipped.mjs';

requireNode24();
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names of the files that another folder makes other. */
function differingFiles({ arch, files }) {
  const elsewhere = mkdtempSync(join(tmpdir(), 'stalltrace-agent-'));
  try {
    cpSync(join(root, 'agent'), join(elsewhere, 'some', 'where', 'agent'), { recursive: true });
    const out = join(elsewhere, 'out');
    mkdirSync(out);
    if (!make(root, join(elsewhere, 'some', 'where'), arch, out)) return ['the second build'];
    const again = describeFiles(out);
    return files.flatMap(({ name, sha256 }, at) => (again[at].sha256 === sha256 ? [] : [name]));
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

function ship() {
  const sources = sourcesDigest(root);
  const results = ARCHITECTURES.map((arch) => ({ arch, ...buildOne(root, arch) }));
  const problems = results.flatMap(({ arch, missing, built }) => {
    if (missing) return [`The agent for ${arch} can't be built: ${missing.why}; ${missing.next}.`];
    const differing = differingFiles(built.build);
    if (differing.length === 0) return [];
    return [`Built in two folders, ${differing.join(', ')} for ${arch} is not the same.`];
  });
  if (sourcesDigest(root) !== sources) problems.push('agent/ changed meanwhile: run it again.');
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  const written = writeShipped(
    root,
    sources,
    results.map(({ built }) => built),
  );
  for (const { path, bytes } of written) console.log(`${path}: ${bytes} bytes`);
  return 0;
}

process.exitCode =
  process.argv[2] === '--check' ? tellShipped(shippedProblems(root, sourcesDigest(root))) : ship();
