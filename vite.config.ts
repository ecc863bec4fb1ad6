/**
 * How the package is bundled. `--mode library` makes one ES module per export for other people's bundlers;
 * `--mode script-tag` the file that a page loads by itself, and beside it what that one asks for on demand; `--mode card`
 * the card form's file, whole; `--mode pay` the script of the payment page. Types and sizes: test/support/build/build.ts.
 */
import { transform } from 'esbuild';
import { defineConfig, Visitor, type BuildOptions, type Plugin } from 'vite';

const exported =
  'index element react html proxy node ledger service sandbox testing order-token cli'.split(' ');

const library: BuildOptions = {
  sourcemap: true,
  minify: false,
  license: { fileName: 'library.licenses.json' },
  lib: { entry: exported.map((name) => `src/${name}.ts`), formats: ['es'] },
  rolldownOptions: {
    // Folded in: `qrcode`, which is CommonJS and no browser's, and @lit/react, which brings React's types.
    external: [/^(lit|react|zod|sql-template-tag|libsql|pg|prom-client|undici)($|\/)/, /^node:/],
    output: {
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
    },
  },
};

/** To a minifier of scripts, css`…` is text. It holds no `${}`, and is for the oldest browser of the element. */
const minifyStyles: Plugin = {
  name: 'minify-styles',
  async transform(code) {
    const sheets: { start: number; end: number }[] = [];
    new Visitor({
      TaggedTemplateExpression({ tag, quasi }) {
        if (tag.type === 'Identifier' && tag.name === 'css') sheets.push(...quasi.quasis);
      },
    }).visit(this.parse(code));
    for (const { start, end } of sheets.toReversed()) {
      const options = { loader: 'css', minify: true, target: 'chrome94' } as const;
      const small = await transform(code.slice(start, end), options);
      code = code.slice(0, start) + small.code.trim() + code.slice(end);
    }
    return code;
  },
};

/** In library mode Vite keeps white space and comments of ES modules, unless the output itself says otherwise. */
const scriptTag = (name: string, entry: string): BuildOptions => ({
  emptyOutDir: false,
  license: { fileName: `${name}.licenses.json` },
  lib: { entry: { [name]: `src/${entry}.ts` }, formats: ['es'], fileName: '[name].min' },
  rolldownOptions: {
    output: { minify: true, comments: false, chunkFileNames: 'pix-checkout-[name].min.js' },
    plugins: [minifyStyles],
  },
});

/** Nobody's bundler stands behind a script tag: its file finds the card form's by URL, and bundles none of it along. */
const besideScriptTag = { find: /^\.\/card-file\.js$/, replacement: './card-file.script-tag.js' };

const builds: Readonly<Record<string, BuildOptions>> = {
  library,
  'script-tag': scriptTag('pix-checkout', 'index'),
  card: scriptTag('pix-checkout-card', 'checkout/card/card-file-entry'),
  pay: scriptTag('pix-checkout-pay', 'checkout/pay/pay-page-entry'),
};

export default defineConfig(({ mode }) => ({
  resolve: { alias: mode === 'script-tag' ? [besideScriptTag] : [] },
  build: { target: 'es2022', ...builds[mode] },
}));
