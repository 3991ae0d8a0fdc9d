import svelte from 'eslint-plugin-svelte';
import typescript from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Biome formats and lints; ESLint adds what it can't see: Svelte's own rules and promises.
const promiseRules = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/return-await': ['error', 'in-try-catch'],
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true },
  ],
};

export default typescript.config(
  {
    ignores: [
      'out/',
      'node_modules/',
      'test/artifacts/',
      'tools/',
      'scripts/*.mjs',
      '*.js',
      '*.mjs',
    ],
  },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: typescript.parser,
      parserOptions: {
        project: ['tsconfig.json', 'tsconfig.node.json'],
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    plugins: { '@typescript-eslint': typescript.plugin },
    rules: promiseRules,
  },
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: { parser: typescript.parser, extraFileExtensions: ['.svelte'], svelteConfig },
    },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/require-each-key': 'error',
      'svelte/no-target-blank': 'error',
      // The collections in question are never reactive: they live inside one function call.
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
);
