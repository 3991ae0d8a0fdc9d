import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'electron-vite';
import { requireNode24 } from './scripts/node-version.mjs';

requireNode24();

/** Of a single file, kB: what is loaded from the disk of the same machine needs no smaller pieces. */
const LARGEST_FILE = 2000;
/** How long each plugin took is no news of a build that takes seconds. */
const checks = { pluginTimings: false };

/**
 * What runs is plain ASCII without comments, and else as it was built: of each file that a process or thread has loaded V8 keeps
 * the source, with two bytes a character where one is not of Latin-1. Lines and names stay, for who reads a stack.
 */
const PLAIN_SOURCE = {
  comments: false,
  minify: {
    compress: false,
    mangle: false,
    codegen: { removeWhitespace: false, asciiOnly: true },
  },
} as const;

/** `dependencies` stay external (native or large), `devDependencies` are bundled: see docs/architecture.md. */
export default defineConfig({
  main: {
    build: {
      target: 'node24',
      externalizeDeps: true,
      chunkSizeWarningLimit: LARGEST_FILE,
      rolldownOptions: {
        checks,
        input: {
          index: 'src-main/index.ts',
          cli: 'src-main/cli.ts',
          'trace-process': 'src-main/trace-process.ts',
          'statement-process': 'src-main/statement-process.ts',
          'library-process': 'src-main/library-process.ts',
          'remote-process': 'src-main/remote-process.ts',
          // Threads of trace-process and of remote-process.
          'chunk-reader': 'src-main/trace/sqlite/chunk-reader.ts',
          'answer-thread': 'src-main/app/trace-process/answer-thread.ts',
          'frame-worker': 'src-main/remote/transfer/frame-worker.ts',
        },
        // Chunks stay beside the entries: code finds its neighbours by import.meta.url.
        output: {
          chunkFileNames: '[name]-[hash].js',
          ...PLAIN_SOURCE,
          // A file for each of these rooms. Answers of questions/ import what they need one by one, and
          // else there would be a file for every mixture of that. The command line needs no contract.
          codeSplitting: {
            groups: [
              { name: 'shared', test: /src-main.shared.(?!contract.)/, priority: 1 },
              { name: 'analysis', test: /src-main.analysis./ },
            ],
          },
        },
      },
    },
  },
  // A sandboxed preload must be one CommonJS file: Electron's sandbox has no ES modules.
  preload: {
    build: {
      target: 'node24',
      externalizeDeps: false,
      chunkSizeWarningLimit: LARGEST_FILE,
      rolldownOptions: {
        checks,
        input: { index: 'src-main/preload.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer',
    plugins: [svelte()],
    build: {
      target: 'chrome152',
      modulePreload: { polyfill: false },
      minify: true,
      chunkSizeWarningLimit: LARGEST_FILE,
      rolldownOptions: { checks, input: 'src-renderer/index.html' },
    },
  },
});
