// resources/agent: the agents as they are shipped. One compressed file each, and a manifest that says of which
// sources and with which tools they were built, and the hash of each.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
// Not by name: an old Node, which only asks what is to be done, has no zstd.
import zlib from 'node:zlib';
import { AGENT_FILES } from './build.mjs';
import { ARCHITECTURES } from './toolchain.mjs';

const FOLDER = 'resources/agent';
const MANIFEST = `${FOLDER}/manifest.json`;
/** Of an agent that is unpacked: ten times what one has. */
const MOST_BYTES = 64 << 20;
const HASH = /^[0-9a-f]{64}$/;

const REBUILD = 'run "npm run ship-agent" on Debian 12 (x86-64), and commit what it writes';
const RESTORE = `run "git checkout -- ${FOLDER}"`;

function packedFile(arch, name) {
  return `${FOLDER}/linux-${arch}/${name}.zst`;
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isFile({ name, bytes, sha256: hash }, index) {
  const sane = Number.isInteger(bytes) && bytes > 0 && bytes <= MOST_BYTES;
  return name === AGENT_FILES[index] && sane && HASH.test(hash);
}

function isBuild({ arch, version, files }) {
  const known = ARCHITECTURES.includes(arch) && typeof version === 'string';
  return known && files.length === AGENT_FILES.length && files.every(isFile);
}

/** `none` where nothing is shipped; `damaged` with a sentence's first half. */
export function readManifest(root) {
  const text = readIfThere(join(root, MANIFEST));
  if (text === undefined) return { none: true };
  try {
    const manifest = JSON.parse(text.toString());
    if (HASH.test(manifest.sources) && manifest.builds.every(isBuild)) return { manifest };
  } catch {
    // Neither is what anything else says.
  }
  return { damaged: `${MANIFEST} is damaged` };
}

/** Changes with everything that is shipped. */
export function shippedFingerprint(root) {
  const packed = ARCHITECTURES.flatMap((arch) => AGENT_FILES.map((name) => packedFile(arch, name)));
  const files = [MANIFEST, ...packed].map((path) => readIfThere(join(root, path)));
  return sha256(files.map((bytes) => (bytes === undefined ? '-' : sha256(bytes))).join());
}

/** The file as it was packed, or why it is not that. */
function unpackFile(root, arch, { name, bytes, sha256: hash }) {
  const path = packedFile(arch, name);
  const packed = readIfThere(join(root, path));
  if (packed === undefined) return { damaged: `${path} is missing` };
  let content;
  try {
    content = zlib.zstdDecompressSync(packed, { maxOutputLength: bytes });
  } catch {
    return { damaged: `${path} is damaged` };
  }
  if (content.length === bytes && sha256(content) === hash) return { content };
  return { damaged: `${path} is not what ${MANIFEST} says` };
}

/** All files of a build, or why one is not to be used. */
export function unpackBuild(root, { arch, files }) {
  const unpacked = files.map((file) => ({ name: file.name, ...unpackFile(root, arch, file) }));
  const damaged = unpacked.find((file) => file.damaged !== undefined)?.damaged;
  return damaged === undefined ? { contents: unpacked } : { damaged };
}

/** What is wrong with what is shipped, in sentences; `isStale` where it is only of other sources. */
export function shippedProblems(root, sources) {
  const { none, damaged, manifest } = readManifest(root);
  if (none) return { problems: [`${FOLDER} holds no capture agents: ${REBUILD}.`], isStale: true };
  if (damaged) return { problems: [`${damaged}: ${RESTORE}, or ${REBUILD}.`], isStale: false };
  const broken = manifest.builds.flatMap((build) => unpackBuild(root, build).damaged ?? []);
  if (broken.length > 0) {
    return { problems: broken.map((text) => `${text}: ${RESTORE}, or ${REBUILD}.`) };
  }
  const absent = ARCHITECTURES.filter((arch) => !manifest.builds.some((one) => one.arch === arch));
  if (absent.length > 0) {
    return { problems: [`${FOLDER} has no agent for ${absent.join(', ')}: ${REBUILD}.`] };
  }
  if (manifest.sources === sources) return { problems: [], isStale: false };
  const problem = `${FOLDER} was built from other sources than those in agent/: ${REBUILD}.`;
  return { problems: [problem], isStale: true };
}

function writeWhole(path, data) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.part`, data);
  renameSync(`${path}.part`, path);
}

function compress(content) {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = zlib.constants;
  const params = { [ZSTD_c_compressionLevel]: 19, [ZSTD_c_checksumFlag]: 1 };
  return zlib.zstdCompressSync(content, { params });
}

/** Replaces what is shipped. `built` as buildOne returns it; the manifest last. Returns each file's path and size. */
export function writeShipped(root, sources, built) {
  rmSync(join(root, MANIFEST), { force: true });
  const written = built.flatMap(({ folder, build }) =>
    build.files.map(({ name }) => {
      const path = packedFile(build.arch, name);
      const packed = compress(readFileSync(join(folder, name)));
      writeWhole(join(root, path), packed);
      return { path, bytes: packed.length };
    }),
  );
  const manifest = { sources, builds: built.map(({ build }) => build) };
  writeWhole(join(root, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return written;
}
