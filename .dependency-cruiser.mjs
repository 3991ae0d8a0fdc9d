// What may import what: the house of docs/architecture.md, checked.

const services = 'trace|analysis|timeline|questions|library|remote|report|archive|benchmark|native';

function only(name, from, allowed, comment) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path: from, pathNot: '\\.test\\.ts$|/testing/' },
    to: { path: '^src-', pathNot: [from, ...allowed] },
  };
}

function usesNoNode(name, from) {
  return {
    name: `${name}-uses-no-node`,
    severity: 'error',
    from: { path: from, pathNot: '\\.test\\.ts$' },
    to: { dependencyTypes: ['core'] },
  };
}

/** Which folders of analysis/ each of them stands on: src-main/analysis/README.md. */
/** The loop's calls and steps, and what is told from them of its time. */
const stretches = ['loop', 'outstanding', 'input'];
const analysis = {
  demangle: [],
  index: [],
  stacks: ['demangle', 'index'],
  coverage: ['index'],
  operations: ['index', 'stacks'],
  gpu: ['index', 'operations'],
  jobs: ['index'],
  roles: ['index', 'stacks', 'jobs'],
  threads: ['index', 'coverage', 'operations', 'gpu', 'jobs'],
  loop: ['index', 'coverage', 'jobs', 'threads'],
  outstanding: ['index', 'coverage', 'loop'],
  input: ['index', 'coverage', 'jobs', 'threads', 'loop'],
  steps: ['index', 'coverage', 'operations', 'gpu', 'jobs', 'threads', ...stretches],
  host: ['index', 'stacks', 'jobs', 'threads', ...stretches, 'steps'],
  ranks: ['index', 'operations', 'gpu', 'jobs', 'threads', ...stretches, 'steps', 'host'],
  chain: ['index', 'stacks', 'coverage', 'jobs', 'threads'],
  flame: ['index', 'stacks'],
  call: [
    'index',
    'stacks',
    'coverage',
    'operations',
    'gpu',
    'jobs',
    'threads',
    ...stretches,
    'steps',
    'chain',
  ],
  processes: ['index', 'coverage', 'jobs', 'threads'],
  findings: [
    'index',
    'stacks',
    'coverage',
    'operations',
    'gpu',
    'jobs',
    'threads',
    ...stretches,
    'steps',
    'host',
    'ranks',
    'chain',
  ],
  run: ['index', 'jobs', 'threads', 'loop', 'input', 'steps', 'flame', 'processes', 'findings'],
  confirm: ['findings', 'run'],
};

function standsOn(folder) {
  const here = '^src-main/analysis/';
  const others = Object.keys(analysis).filter(
    (name) => name !== folder && !analysis[folder].includes(name),
  );
  return {
    name: `analysis-${folder}`,
    severity: 'error',
    from: { path: `${here}${folder}/`, pathNot: '\\.test\\.ts$|/testing/' },
    to: { path: `${here}(${others.join('|')})/` },
  };
}

export const options = {
  tsPreCompilationDeps: true,
  tsConfig: { fileName: 'tsconfig.json' },
  doNotFollow: { path: 'node_modules' },
  extraExtensionsToScan: [],
  enhancedResolveOptions: {
    conditionNames: ['svelte', 'import', 'default'],
    exportsFields: ['exports'],
  },
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('shared-is-pure', '^src-main/shared/', [], 'shared stands on zod alone'),
    {
      name: 'shared-uses-no-platform',
      severity: 'error',
      from: { path: '^src-main/shared/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev'], pathNot: 'node_modules/zod/' },
    },
    only('analysis', '^src-main/analysis/', ['^src-main/shared/'], 'analysis is pure'),
    usesNoNode('analysis', '^src-main/analysis/'),
    ...Object.keys(analysis).map(standsOn),
    only(
      'trace',
      '^src-main/trace/',
      ['^src-main/(shared|system|native)/'],
      'importers know no analysis',
    ),
    only(
      'timeline',
      '^src-main/timeline/',
      ['^src-main/shared/'],
      'columns → tracks and lanes: pure, shared by the screen and the pictures of a report',
    ),
    usesNoNode('timeline', '^src-main/timeline/'),
    only('benchmark', '^src-main/benchmark/', ['^src-main/shared/'], 'numbers → a script: pure'),
    usesNoNode('benchmark', '^src-main/benchmark/'),
    only(
      'questions',
      '^src-main/questions/',
      ['^src-main/(shared|analysis|timeline|report|benchmark)/'],
      'what can be asked of an open trace, and the answers',
    ),
    usesNoNode('questions', '^src-main/questions/'),
    {
      name: 'hosts-load-questions-without-answers',
      comment: 'hosts check arguments by questions/: what answers is imported when it is asked for',
      severity: 'error',
      from: { path: '^src-main/questions/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src-main/(analysis|timeline|report|benchmark)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    only(
      'contract',
      '^src-main/contract/',
      ['^src-main/(shared|questions|timeline)/'],
      'everything a user can do, in one table',
    ),
    only('parquet', '^src-main/parquet/', ['^src-main/shared/'], 'written alike by all'),
    usesNoNode('parquet', '^src-main/parquet/'),
    only('markdown', '^src-main/markdown/', ['^src-main/shared/'], 'read and written alike by all'),
    usesNoNode('markdown', '^src-main/markdown/'),
    only(
      'compare',
      '^src-main/compare/',
      ['^src-main/(shared|markdown)/'],
      'summaries of two runs → what differs: pure, and needs no trace',
    ),
    usesNoNode('compare', '^src-main/compare/'),
    only(
      'report',
      '^src-main/report/',
      ['^src-main/(shared|analysis|timeline|markdown)/'],
      'a report is made of what the analysis found',
    ),
    only(
      'archive',
      '^src-main/archive/',
      ['^src-main/(shared|system)/'],
      'a .stalltrace file knows no library',
    ),
    only(
      'library',
      '^src-main/library/',
      ['^src-main/(shared|system)/'],
      'the catalogue stands alone',
    ),
    only(
      'remote',
      '^src-main/remote/',
      ['^src-main/(shared|system)/'],
      'SSH and captures know no library',
    ),
    only(
      'native',
      '^src-main/native/',
      ['^src-main/(shared|system)/'],
      'C functions as they are declared',
    ),
    {
      name: 'koffi-in-native',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/native/' },
      to: { path: 'node_modules/koffi/' },
    },
    only('system', '^src-main/system/', ['^src-main/shared/'], 'what Node lacks, for any service'),
    only('rpc', '^src-main/rpc/', ['^src-main/shared/'], 'hosts hand the router its handlers'),
    only(
      'app',
      '^src-main/app/',
      [
        '^src-main/(shared|system|rpc|contract|compare)/',
        `^src-main/(${services})/`,
        '^package.json',
      ],
      'app combines services',
    ),
    {
      name: 'only-app-combines-services',
      severity: 'error',
      from: {
        path: '^src-main/(browser|desktop|cli|hosts)/|^src-main/[^/]+\\.ts$',
        pathNot: '\\.test\\.ts$|^src-main/(library|remote)-process\\.ts$',
      },
      to: { path: `^src-main/(${services})/` },
    },
    {
      name: 'electron-in-its-place',
      severity: 'error',
      from: {
        pathNot: '^src-main/(index|preload)\\.ts$|^src-main/desktop/|^test/electron-double/',
      },
      to: { path: '^electron$|node_modules/electron/' },
    },
    {
      name: 'no-plain-node-in-the-desktop',
      comment: 'the RunAsNode fuse is off: docs/desktop.md',
      severity: 'error',
      from: { path: '^src-main/(index|(library|remote|statement|trace)-process)\\.ts$' },
      to: { path: '^src-main/hosts/node-launcher\\.ts$', reachable: true },
    },
    {
      name: 'better-sqlite3-in-library',
      severity: 'error',
      from: { pathNot: '^src-main/library/' },
      to: { path: 'node_modules/better-sqlite3/' },
    },
    {
      name: 'ssh2-in-remote',
      severity: 'error',
      from: { path: '^src-', pathNot: '^src-main/remote/' },
      to: { path: 'node_modules/(@types/)?ssh2/' },
    },
    {
      name: 'node-sqlite-in-trace',
      severity: 'error',
      from: { path: '^src-main/', pathNot: '^src-main/trace/' },
      to: { path: '^(node:)?sqlite$' },
    },
    only(
      'renderer',
      '^src-renderer/',
      ['^src-main/(shared|contract|timeline|markdown|parquet)/'],
      'the renderer sees the contract only',
    ),
    {
      name: 'renderer-loads-no-contract',
      comment: 'of the contract the page needs the types only: what it says is checked by its host',
      severity: 'error',
      from: { path: '^src-renderer/', pathNot: '\\.test\\.ts$|/testing/' },
      to: { path: '^src-main/contract/contract\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    usesNoNode('renderer', '^src-renderer/'),
    only(
      'renderer-lib',
      '^src-renderer/lib/',
      ['^src-main/(shared|timeline)/'],
      'lib ← chart ← ui ← views',
    ),
    only(
      'renderer-chart',
      '^src-renderer/chart/',
      ['^src-main/(shared|timeline)/', '^src-renderer/lib/'],
      'lib ← chart ← ui ← views',
    ),
    only(
      'renderer-ui',
      '^src-renderer/ui/',
      ['^src-main/(shared|timeline|markdown)/', '^src-renderer/(lib|chart)/'],
      'lib ← chart ← ui ← views',
    ),
    only(
      'renderer-state',
      '^src-renderer/state/',
      ['^src-main/(shared|contract|timeline)/', '^src-renderer/lib/'],
      'views → state → api',
    ),
    only(
      'renderer-views',
      '^src-renderer/views/',
      ['^src-main/(shared|timeline|markdown|parquet)/', '^src-renderer/(lib|chart|ui|state)/'],
      'views → state → api',
    ),
  ],
  options,
};
