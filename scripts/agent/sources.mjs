// Of which sources an agent is: one digest of all that its build reads.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is in agent/ and in no agent; and what an editor or a desktop leaves behind. */
const NOT_BUILT = /^test$|\.md$|^\.|~$/;

function sourceFiles(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const built = entries.filter(({ name }) => !NOT_BUILT.test(name));
  return built.flatMap((entry) =>
    entry.isDirectory()
      ? sourceFiles(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
      : [entry.name],
  );
}

function sha256(data) {
  return createHash('sha256').update(data).digest('hex');
}

/** Hex. The same in any folder, on any system, however git writes the ends of lines there. */
export function sourcesDigest(root) {
  const agent = join(root, 'agent');
  const lines = sourceFiles(agent)
    .sort()
    .map((path) => {
      const text = readFileSync(join(agent, path), 'latin1').replaceAll('\r\n', '\n');
      return `${sha256(Buffer.from(text, 'latin1'))}  ${path}\n`;
    });
  return sha256(lines.join(''));
}
