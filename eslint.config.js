import svelte from 'eslint-plugin-svelte';
import typescript from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

// Biome formats and lints, oxlint sees to promises (.oxlintrc.json): ESLint adds Svelte's own rules.
export default typescript.config(...svelte.configs.recommended, {
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
});
