import { existsSync, readFileSync } from 'node:fs';

/** What the linker puts into the capture agent, which is one static program: agent/Makefile. */

interface Library {
  /** What the linker is asked for; none for what every C program takes along. */
  readonly flags: readonly string[];
  readonly name: string;
  /** Debian's package with the archive that is linked, and its source package. */
  readonly debian: string;
  readonly source: string;
  /** The licence it is used under, of those it is offered under. */
  readonly licence: string;
  /** How Debian's copyright file names what it is offered under. */
  readonly offered: string;
  readonly texts: readonly string[];
}

export const AGENT_LIBRARIES: readonly Library[] = [
  {
    flags: ['-lbpf'],
    name: 'libbpf',
    debian: 'libbpf-dev',
    source: 'libbpf',
    licence: 'BSD-2-Clause',
    offered: 'LGPL-2.1 or BSD-2-Clause',
    texts: ['libbpf.txt'],
  },
  {
    flags: ['-lelf'],
    name: 'libelf',
    debian: 'libelf-dev',
    source: 'elfutils',
    licence: 'LGPL-3.0-or-later',
    offered: 'LGPL-3+ or GPL-2+',
    texts: ['libelf.txt', 'LGPL-3.txt', 'GPL-3.txt'],
  },
  {
    flags: ['-lz'],
    name: 'zlib',
    debian: 'zlib1g-dev',
    source: 'zlib',
    licence: 'Zlib',
    offered: 'License: Zlib',
    texts: ['zlib.txt'],
  },
  {
    flags: ['-lsqlite3'],
    name: 'SQLite',
    debian: 'libsqlite3-dev',
    source: 'sqlite3',
    licence: 'public domain',
    offered: 'public-domain',
    texts: ['sqlite3.txt'],
  },
  {
    flags: ['-lzstd'],
    name: 'Zstandard',
    debian: 'libzstd-dev',
    source: 'libzstd',
    licence: 'BSD-3-Clause',
    offered: 'BSD-3-clause or GPL-2',
    texts: ['zstd.txt'],
  },
  {
    flags: ['-lnettle'],
    name: 'Nettle',
    debian: 'nettle-dev',
    source: 'nettle',
    licence: 'LGPL-3.0-or-later',
    offered: 'LGPL-3+ or GPL-2+',
    texts: ['nettle.txt', 'LGPL-3.txt', 'GPL-3.txt'],
  },
  {
    flags: ['-lm', '-lpthread'],
    name: 'GNU C Library',
    debian: 'libc6-dev',
    source: 'glibc',
    licence: 'LGPL-2.1-or-later',
    offered: 'GNU Lesser General Public',
    texts: ['glibc.txt', 'LGPL-2.1.txt'],
  },
  {
    flags: [],
    name: 'GCC’s runtime library',
    debian: 'libgcc-12-dev',
    source: 'gcc-12',
    licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
    offered: 'Runtime Library Exception',
    texts: ['gcc-runtime.txt', 'GPL-3.txt'],
  },
];

/** Problems of the table: what the Makefile links and the table lacks, or has and nobody links. */
export function linkingProblems(makefile: string): string[] {
  const line = /^LIBS := (.*)$/m.exec(makefile)?.[1];
  if (line === undefined) return ['agent/Makefile has no line that begins with "LIBS :=".'];
  const linked = line.split(/\s+/).filter((word) => word.startsWith('-l'));
  const known = AGENT_LIBRARIES.flatMap(({ flags }) => flags);
  const unknown = linked.filter((flag) => !known.includes(flag));
  // The compiler adds these by itself.
  const always = ['libc6-dev', 'libgcc-12-dev'];
  const unused = AGENT_LIBRARIES.filter(
    ({ flags, debian }) => !always.includes(debian) && !flags.some((flag) => linked.includes(flag)),
  );
  return [
    ...unknown.map((flag) => `agent/Makefile links ${flag}, which scripts/third-party/ lacks.`),
    ...unused.map(({ name }) => `${name} is in scripts/third-party/ and no longer linked.`),
  ];
}

/** Compares the table with what this machine's packages say of themselves. */
export function debianProblems(documents = '/usr/share/doc') {
  const problems: string[] = [];
  const notChecked: string[] = [];
  for (const { debian, offered } of AGENT_LIBRARIES) {
    const file = `${documents}/${debian}/copyright`;
    if (!existsSync(file)) notChecked.push(debian);
    else if (!readFileSync(file, 'utf8').includes(offered))
      problems.push(
        `${file} no longer says "${offered}": read it, and amend scripts/third-party/.`,
      );
  }
  return { problems, notChecked };
}
