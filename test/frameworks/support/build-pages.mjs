/**
 * Builds the pages named on the command line, for the browser and for the server, as their developers would while they
 * work: only then do frameworks warn. Runs where the frameworks are installed.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const plugins = {
  vue: async () => {
    const { default: vue } = await import('@vitejs/plugin-vue');
    const isCustomElement = (tag) => tag === 'pix-checkout';
    return vue({ template: { compilerOptions: { isCustomElement } } });
  },
  solid: async () => (await import('vite-plugin-solid')).default({ ssr: true }),
  svelte: async () => (await import('@sveltejs/vite-plugin-svelte')).svelte({ configFile: false }),
};

for (const name of process.argv.slice(2)) {
  const root = join(import.meta.dirname, 'pages', name);
  const entry = (side) =>
    ['js', 'jsx', 'ts'].map((end) => join(root, `${side}.${end}`)).find(existsSync);
  const common = {
    root,
    configFile: false,
    mode: 'development',
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [await plugins[name]?.()],
  };
  const output = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  const side = (outDir, more) => ({ outDir, minify: false, rolldownOptions: { output, ...more } });
  await build({ ...common, build: side('dist/client', { input: entry('client') }) });
  await build({ ...common, build: { ...side('dist/server'), ssr: entry('server') } });
}
