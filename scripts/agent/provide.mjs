// out/agent: the agents that this checkout uses, and status.json, which says what they are and why others are not
// there. One rule: an agent is of the sources in agent/. What is shipped is used where it was built from them, else
// the agent is built here. Any Node can ask whether there is something to do.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AGENT_FILES, buildOne } from './build.mjs';
import { readManifest, shippedFingerprint, unpackBuild } from './shipped.mjs';
import { sourcesDigest } from './sources.mjs';
import { ARCHITECTURES, obstacle } from './toolchain.mjs';

const AGENTS = join('out', 'agent');
const STATUS = join(AGENTS, 'status.json');

function readStatus(root) {
  try {
    return JSON.parse(readFileSync(join(root, STATUS), 'utf8'));
  } catch {
    return undefined;
  }
}

function isThere(root, { arch }) {
  const folder = join(root, AGENTS, `linux-${arch}`);
  return AGENT_FILES.every((name) => existsSync(join(folder, name)));
}

/** Whether out/agent is that of the sources as they are, and no more could be there by now. */
export function areAgentsCurrent(root) {
  const status = readStatus(root);
  if (status === undefined || status.sources !== sourcesDigest(root)) return false;
  if (status.shipped !== shippedFingerprint(root)) return false;
  if (!status.built.every((build) => isThere(root, build))) return false;
  return status.missing.every(({ arch, failed }) => failed || obstacle(arch) !== undefined);
}

/** What is shipped for `arch`, unpacked; or why it is not used: `undefined` where nothing is shipped at all. */
function takeShipped(root, arch, sources) {
  const { damaged, manifest } = readManifest(root);
  if (manifest === undefined) return { problem: damaged };
  if (manifest.sources !== sources) {
    return { problem: 'agent/ is not what resources/agent was built from' };
  }
  const build = manifest.builds.find((each) => each.arch === arch);
  if (build === undefined) return {};
  const { damaged: problem, contents } = unpackBuild(root, build);
  return problem === undefined ? { build, contents } : { problem };
}

function takeBuilt(root, arch, build) {
  const { built, missing } = build(root, arch);
  if (built === undefined) return { missing };
  const contents = AGENT_FILES.map((name) => ({
    name,
    content: readFileSync(join(built.folder, name)),
  }));
  return { build: built.build, contents };
}

/** Under another name first: the file there may be running. */
function writeAgent(root, arch, contents) {
  const folder = join(root, AGENTS, `linux-${arch}`);
  mkdirSync(folder, { recursive: true });
  for (const { name, content } of contents) {
    const path = join(folder, name);
    writeFileSync(`${path}.part`, content, { mode: 0o755 });
    renameSync(`${path}.part`, path);
  }
}

/** An entry of status.json: the agent's own file, and that of the library beside it. */
function describe({ arch, version, libraries, files }) {
  const at = ({ name, bytes, sha256 }) => ({ path: `linux-${arch}/${name}`, bytes, sha256 });
  const [agent, inside] = files.map(at);
  return { arch, version, ...agent, inside, libraries };
}

function provideOne(root, arch, sources, buildHere) {
  const shipped = takeShipped(root, arch, sources);
  if (shipped.problem)
    console.log(`The agent for linux-${arch} is built here: ${shipped.problem}.`);
  const taken = shipped.build ? shipped : takeBuilt(root, arch, buildHere);
  if (taken.missing === undefined) {
    writeAgent(root, arch, taken.contents);
    return { built: describe(taken.build) };
  }
  rmSync(join(root, AGENTS, `linux-${arch}`), { recursive: true, force: true });
  const { why, ...rest } = taken.missing;
  return {
    missing: { arch, why: shipped.problem ? `${shipped.problem}, and ${why}` : why, ...rest },
  };
}

/**
 * Puts into out/agent what can be had. Never fails because one can't: the app works without, and says so.
 * `buildHere` builds what is not shipped.
 */
export function provideAgents(root, buildHere = buildOne) {
  // What changes meanwhile is not in them.
  const sources = sourcesDigest(root);
  const shipped = shippedFingerprint(root);
  const results = ARCHITECTURES.map((arch) => provideOne(root, arch, sources, buildHere));
  const status = {
    sources,
    shipped,
    built: results.flatMap(({ built }) => built ?? []),
    missing: results.flatMap(({ missing }) => missing ?? []),
  };
  const file = join(root, STATUS);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(status, null, 2)}\n`);
  renameSync(`${file}.part`, file);
}

export function missingSentences(root) {
  return (readStatus(root)?.missing ?? []).map(
    ({ arch, why, next }) =>
      `The capture agent for linux-${arch} is missing: ${why}; ${next}. All but recording works without it.`,
  );
}
