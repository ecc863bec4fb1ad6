/**
 * How the package is bundled. `--mode library` makes one ES module per export for other people's bundlers;
 * `--mode script-tag` the file that a page loads by itself, and beside it what that one asks for on demand; `--mode card`
 * the card form's file, whole; `--mode pay` the script of the payment page. Types and sizes: test/support/build.ts.
 */
import { transform } from 'esbuild';
import { defineConfig, Visitor, type BuildOptions, type Plugin } from 'vite';

const exported =
  'index element react html proxy node ledger service sandbox testing order-token cli'.split(' ');

const library: BuildOptions = {
  sourcemap: true,
  minify: false,
  lib: {
    entry: Object.fromEntries(exported.map((name) => [name, `src/${name}.ts`])),
    formats: ['es'],
  },
  rolldownOptions: {
    // Folded in: `qrcode`, which is CommonJS and no browser's, and @lit/react, which brings React's types.
    external: [/^(lit|react|zod|kysely|libsql|pg|prom-client|undici)($|\/)/, /^node:/],
    output: {
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
    },
  },
};

/** For the oldest browsers that the element supports. */
const css = { loader: 'css', minify: true, target: 'chrome94' } as const;

/** To a minifier of scripts, html`…` and css`…` are text. Between elements one white space stays one. */
const minifyTemplates: Plugin = {
  name: 'minify-templates',
  async transform(code) {
    const texts: { tag: string; start: number; end: number }[] = [];
    new Visitor({
      TaggedTemplateExpression({ tag, quasi }) {
        const name = tag.type === 'Identifier' ? tag.name : '';
        for (const { start, end } of quasi.quasis) texts.push({ tag: name, start, end });
      },
    }).visit(this.parse(code));
    for (const { tag, start, end } of texts.toSorted((one, other) => other.start - one.start)) {
      let text = code.slice(start, end);
      if (tag === 'html') text = text.replace(/\s*\n\s*/g, '\n');
      if (tag === 'css') text = (await transform(text, css)).code.trim();
      code = code.slice(0, start) + text + code.slice(end);
    }
    return code;
  },
};

/** In library mode Vite keeps the white space of ES modules, unless the output itself asks to be minified. */
const scriptTag = (name: string, entry: string): BuildOptions => ({
  emptyOutDir: false,
  lib: { entry: { [name]: `src/${entry}.ts` }, formats: ['es'], fileName: '[name].min' },
  rolldownOptions: {
    output: { minify: true, comments: false, chunkFileNames: 'pix-checkout-[name].min.js' },
    plugins: [minifyTemplates],
  },
});

const builds: Readonly<Record<string, BuildOptions>> = {
  library,
  'script-tag': scriptTag('pix-checkout', 'index'),
  card: scriptTag('pix-checkout-card', 'checkout/card/card-file-entry'),
  pay: scriptTag('pix-checkout-pay', 'checkout/pay/pay-page-entry'),
};

/** Nobody's bundler stands behind a script tag: its file finds the card form's by URL, and bundles none of it along. */
const besideScriptTag = { find: /^\.\/card-file\.js$/, replacement: './card-file.script-tag.js' };

export default defineConfig(({ mode }) => ({
  publicDir: false,
  resolve: { alias: mode === 'script-tag' ? [besideScriptTag] : [] },
  build: { target: 'es2022', ...builds[mode] },
}));
