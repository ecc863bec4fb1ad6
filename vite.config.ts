/**
 * How the package is bundled. `--mode library` makes one ES module per export for other people's bundlers;
 * `--mode script-tag` makes the one file a page loads by itself, and beside it the files which that one asks for only
 * when they are needed; `--mode card` makes the card form's file, whole, so that a script tag of its own may load it
 * first; `--mode pay` the script of the payment page. Knows nothing of types, sizes and checks (test/support/build/build.ts).
 */
import { transform } from 'esbuild';
import { minify } from 'terser';
import { defineConfig, type BuildOptions, type Plugin } from 'vite';
import { internalNames } from './test/support/internal-names.js';
import { trimLit } from './test/support/trim-lit.js';

const library: BuildOptions = {
  sourcemap: true,
  minify: false,
  lib: {
    entry: {
      index: 'src/index.ts',
      element: 'src/element.ts',
      react: 'src/react.ts',
      html: 'src/html.ts',
      proxy: 'src/proxy.ts',
      node: 'src/node.ts',
      ledger: 'src/ledger.ts',
      service: 'src/service.ts',
      sandbox: 'src/sandbox.ts',
      testing: 'src/testing.ts',
      'order-token': 'src/order-token.ts',
      cli: 'src/cli.ts',
    },
    formats: ['es'],
  },
  rolldownOptions: {
    // `qrcode` and @lit/react are missing here on purpose: what is taken of the first is CommonJS, which browsers cannot
    // load, and the second would bring React's types along; so they are folded in.
    external: [/^(lit|react|zod|sql-template-tag|libsql|pg|prom-client|undici)($|\/)/, /^node:/],
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
    },
  },
};

/** One file for a script tag, and what it imports on demand. */
const scriptTag = (name: string, entry: string, ...plugins: Plugin[]): BuildOptions => ({
  emptyOutDir: false,
  lib: { entry: { [name]: entry }, formats: ['es'] },
  rolldownOptions: {
    output: {
      // Vite's library mode keeps white space in ES output unless the output itself asks to be minified.
      minify: true,
      entryFileNames: '[name].min.js',
      // What is imported on demand (`import('./es.js')`): a name that stays, beside the entry's.
      chunkFileNames: 'pix-checkout-[name].min.js',
    },
    plugins: [...plugins, minifyLiterals(), minifyAgain()],
  },
});

const builds: Readonly<Record<string, BuildOptions>> = {
  'script-tag': scriptTag('pix-checkout', 'src/index.ts', trimLit()),
  card: scriptTag('pix-checkout-card', 'src/checkout/card/card-file-entry.ts'),
  pay: scriptTag('pix-checkout-pay', 'src/checkout/pay/pay-page-entry.ts'),
};

/** Nobody's bundler stands behind a script tag: its file finds the card form's by URL, and bundles none of it along. */
const besideScriptTag = { find: /^\.\/card-file\.js$/, replacement: './card-file.script-tag.js' };

/** To a minifier of scripts, templates and style sheets are text. Between elements one white space stays one. */
function minifyLiterals(): Plugin {
  return {
    name: 'minify-literals',
    async transform(code, id) {
      if (id.includes('/views/')) return code.replace(/\n\s+/g, '\n');
      if (!id.endsWith('.styles.ts')) return;
      const [before = '', css = '', after = ''] = code.split(/(?<=unsafeCSS\([^`]*`)([^`]*)/);
      // What is computed stands among the declarations, and passes as one.
      const plain = css.replace(/\$\{(\w+)\}/g, '--$1:computed;');
      const small = await transform(plain, { loader: 'css', minify: true, target: 'chrome94' });
      return before + small.code.trim().replace(/--(\w+):computed/g, '${$1}') + after;
    },
  };
}

/** A kilobyte less on the payer's line than with the bundler's minifier alone. */
function minifyAgain(): Plugin {
  const names = new RegExp(`^(?:${internalNames().join('|')})$`);
  return {
    name: 'minify-again',
    async generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const { code } = await minify(file.code, {
          module: true,
          ecma: 2020,
          // Functions side by side resemble one another: they compress better.
          compress: { passes: 2, hoist_funs: true, pure_getters: true },
          // Names of the platform stay by themselves.
          mangle: { properties: { regex: names } },
        });
        file.code = code ?? file.code;
      }
    },
  };
}

export default defineConfig(({ mode }) => ({
  publicDir: false,
  resolve: { alias: mode === 'script-tag' ? [besideScriptTag] : [] },
  build: { target: 'es2022', ...(builds[mode] ?? library) },
}));
