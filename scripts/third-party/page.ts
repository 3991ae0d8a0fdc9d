import { AGENT_LIBRARIES } from './agent-libraries.ts';
import type { ThirdParty } from './packages.ts';

type Listed = Omit<ThirdParty, 'text'>;

/** THIRD-PARTY.md. Plain facts first: who passes Stalltrace on reads what that asks for. */
export function thirdPartyPage(bundled: readonly Listed[], installed: readonly Listed[]): string {
  return `# What others wrote

Stalltrace contains, or brings along, the work of others. This page names it and its licences.
\`npm run third-party\` writes it from the build itself, and \`npm run check\` fails where it is out of date.
The texts are in [resources/licenses](resources/licenses) and travel with \`npm pack\`.

Stalltrace itself: \`package.json\` is private and names no licence, so nobody but its owner may pass it on.
The capture agent's sources say \`GPL-2.0-only OR BSD-2-Clause\` in their first line.

## In the app

The code of these packages is in \`out/\`; their texts are in
[packages.txt](resources/licenses/packages.txt).

${table(['package', 'version', 'licence'], bundled.map(row))}

## Beside the app

npm installs these, each with its own licence, koffi with its binary for the system. better-sqlite3 contains SQLite,
which is in the public domain; so does the library in \`resources/native\`, built from the sources that it brings.

${table(['package', 'version', 'licence'], installed.map(row))}

A packaged desktop app contains Electron as well. Its \`LICENSE\` and \`LICENSES.chromium.html\` stay beside the
binary; the packager puts them there.

## In the capture agent

\`stalltrace-agent\` is one static program: the code of these libraries is inside it. They come from Debian's
packages. \`out/agent/status.json\` names the versions that were linked: those of the shipped agent, which
\`resources/agent/manifest.json\` has too, or of the machine that built it.

${table(
  ['library', 'Debian source package', 'licence', 'texts'],
  AGENT_LIBRARIES.map(({ name, source, licence, texts }) => [
    name,
    source,
    licence,
    texts.map((text) => `[${text}](resources/licenses/agent/${text})`).join(', '),
  ]),
)}

Where a library offers a choice, the agent takes the licence in the table; its own sources go under BSD-2-Clause
with them, since GPL-2.0-only and LGPL-3.0 do not go together.

**Who gives the agent to others** (it is in these sources, in \`resources/agent\`, and in the package of \`npm pack\`, and a
capture puts it on a GPU host) has to do for libelf, Nettle and the GNU C Library what their LGPL asks for a static program:

- say that they are inside, and give the licence texts along: this page and \`resources/licenses\` do both;
- give, or offer, the sources of these libraries in the linked versions: Debian's source packages of the table;
- give what is needed to link the agent again with a changed library: the folder \`agent/\`, here and in the package.

Putting the agent on a host of your own gives it to nobody. GCC's runtime library asks for nothing: its exception covers what GCC compiled.
`;
}

/** resources/licenses/packages.txt: each text once, under the names of the packages that bring it. */
export function licenceTexts(bundled: readonly ThirdParty[]): string {
  const byText = Map.groupBy(bundled, ({ text }) => text);
  const parts = [...byText].map(([text, packages]) => {
    const names = packages.map(({ name, version, licence }) => `${name} ${version} (${licence})`);
    return `${names.join('\n')}\n\n${text}\n`;
  });
  return parts.join(`\n${'='.repeat(80)}\n\n`);
}

function row({ name, version, licence }: Listed): string[] {
  return [name, version, licence];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
