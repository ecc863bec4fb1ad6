/**
 * How the package is bundled. `--mode library` makes one ES module per export for other people's bundlers;
 * `--mode script-tag` makes the one file a page loads by itself. Knows nothing of types, sizes and checks
 * (test/support/build.ts).
 */
import { defineConfig, type BuildOptions } from 'vite';

const library: BuildOptions = {
  sourcemap: true,
  minify: false,
  lib: {
    entry: {
      index: 'src/index.ts',
      element: 'src/element.ts',
      proxy: 'src/proxy.ts',
      node: 'src/node.ts',
      service: 'src/service.ts',
      sandbox: 'src/sandbox.ts',
    },
    formats: ['es'],
  },
  rolldownOptions: {
    // The core of `qrcode` is missing here on purpose: it is CommonJS, which browsers cannot load, so it is folded in.
    external: [/^lit($|\/)/, /^zod($|\/)/, /^node:/, /^undici($|\/)/],
    output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
  },
};

const scriptTag: BuildOptions = {
  emptyOutDir: false,
  lib: { entry: { 'pix-checkout.min': 'src/index.ts' }, formats: ['es'] },
  // Vite's library mode keeps white space in ES output unless the output itself asks to be minified.
  rolldownOptions: {
    output: { codeSplitting: false, minify: true, entryFileNames: '[name].js' },
  },
};

export default defineConfig(({ mode }) => ({
  publicDir: false,
  build: { target: 'es2022', ...(mode === 'script-tag' ? scriptTag : library) },
}));
