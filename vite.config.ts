/**
 * How the package is bundled: `--mode library` makes one ES module per export for other people's bundlers, the other modes
 * the files for script tags, each with what it imports on demand. Types and sizes: test/tools/build/build.ts.
 */
import { readdirSync } from 'node:fs';
import { transform as transformScript } from '@swc/core';
import { transform } from 'esbuild';
import { defineConfig, Visitor, type BuildOptions, type LibraryOptions, type Plugin } from 'vite';

const exported =
  'index element react html proxy node ledger service sandbox testing order-token cli'.split(' ');

/**
 * Text of a template without the white space that only lays out the source: each would be a node in the template, and one in
 * every rendering. A space that stands on a line with anything else stays.
 */
function toLean(texts: readonly string[]): string[] {
  let isInTag = false;
  return texts.map((text) => {
    const pieces = text.replace(/\s*\n\s*>/g, '>').split(/(?=<)|(?<=>)/);
    return pieces
      .map((piece) => {
        if (piece.startsWith('<')) isInTag = true;
        const isLayout = !isInTag && /^\s*\n\s*$/.test(piece);
        if (piece.endsWith('>')) isInTag = false;
        return isLayout ? '' : piece.replace(/\s*\n\s*/g, ' ');
      })
      .join('');
  });
}

/** To a minifier of scripts, html`…` and css`…` are text. A sheet holds no `${}`. */
const minifyTemplates: Plugin = {
  name: 'minify-templates',
  async transform(code) {
    const texts: { start: number; end: number; text: string; tag: string }[] = [];
    new Visitor({
      TaggedTemplateExpression({ tag, quasi }) {
        const name = code.slice(tag.start, tag.end);
        const written = quasi.quasis.map(({ start, end }) => code.slice(start, end));
        const lean = name === 'html' ? toLean(written) : written;
        for (const [index, { start, end }] of quasi.quasis.entries()) {
          texts.push({ start, end, text: lean[index]!, tag: name });
        }
      },
    }).visit(this.parse(code));
    for (const { start, end, tag, ...rest } of texts.toSorted((a, b) => b.start - a.start)) {
      let { text } = rest;
      const options = { loader: 'css', minify: true, target: 'chrome94' } as const;
      if (tag === 'css') text = (await transform(text, options)).code.trim();
      code = code.slice(0, start) + text + code.slice(end);
    }
    return code;
  },
};

/** Before Rolldown's own minifier, inlines what that one leaves. Folding stays with that one, which does it better. */
const inlineScripts: Plugin = {
  name: 'inline-scripts',
  async renderChunk(code) {
    const rules = { inline: 3, collapse_vars: true, hoist_props: true, sequences: true } as const;
    const compress = { defaults: false, unused: true, passes: 4, ...rules };
    const minify = { module: true, compress };
    return transformScript(code, { jsc: { target: 'es2022', minify } });
  },
};

/** The card form's file stands in dist/ twice: by the name that a page's own tag has, and by that of its content, which is kept for ever. */
const nameCardFile: Plugin = {
  name: 'name-card-file',
  transform: {
    filter: { id: /card-file\.script-tag\.ts$/ },
    handler(code) {
      const hashed = readdirSync('dist').find((name) =>
        /^pix-checkout-card\.[\w-]{8}\.min/.test(name),
      );
      if (hashed === undefined) throw new Error('The card form has to be built first');
      return code.replace('pix-checkout-card.min.js', hashed);
    },
  },
};

/** In library mode Vite keeps white space and comments of ES modules, unless the output itself says otherwise. */
const scriptTag = (name: string, entry: string): BuildOptions => ({
  emptyOutDir: false,
  license: { fileName: `${name}.licenses.json` },
  lib: { entry: { [name]: `src/${entry}.ts` }, formats: ['es'], fileName: '[name].min' },
  rolldownOptions: {
    output: {
      minify: true,
      comments: false,
      chunkFileNames: 'pix-checkout-[name].[hash:8].min.js',
      hashCharacters: 'hex',
    },
    plugins: [nameCardFile, minifyTemplates, inlineScripts],
    // No property of ours is read for what the reading does.
    treeshake: { propertyReadSideEffects: false },
  },
});

const inPage = (options: BuildOptions): BuildOptions => ({
  ...options,
  lib: {
    ...(options.lib as LibraryOptions),
    formats: ['iife'],
    name: 'start',
    fileName: (_, name) => `${name}.min.js`,
  },
});

const ofEntry = (text: string) => (chunk: { isEntry: boolean }) => (chunk.isEntry ? text : '');

/**
 * Asks Chrome (from 136) to compile every function while the file arrives, beside the page's own work. Otherwise it compiles
 * each one at its first call, which took a sixth of the start. Other browsers read a comment.
 * https://explainers-by-googlers.github.io/explicit-javascript-compile-hints-file-based/
 */
const compileHint = '//# allFunctionsCalledOnLoad\n';

/** Runs as a classic script, too: its names are its own, and it may stand behind a script without a semicolon. */
const asScript = (options: BuildOptions): BuildOptions => {
  const { output } = options.rolldownOptions as { output: object };
  const around = { banner: ofEntry('(()=>{'), footer: ofEntry('})();') };
  // The minifier would drop both the comment and the semicolon.
  const wrapped = { ...output, ...around, postBanner: ofEntry(`${compileHint};`) };
  return { ...options, rolldownOptions: { ...options.rolldownOptions, output: wrapped } };
};

const builds: Readonly<Record<string, BuildOptions>> = {
  library: {
    sourcemap: true,
    minify: false,
    license: { fileName: 'library.licenses.json' },
    lib: { entry: exported.map((name) => `src/${name}.ts`), formats: ['es'] },
    rolldownOptions: {
      // Folded in: the part of `qrcode` that draws, which is CommonJS and no browser's, and @lit/react, which brings React's types.
      external: /^(lit|react|zod|sql-template-tag|libsql|pg|prom-client|undici)\b|^qrcode$|^node:/,
      output: {
        chunkFileNames: 'chunks/[name]-[hash].js',
        banner: ({ name }) => (name === 'react' ? "'use client';" : ''),
      },
    },
  },
  'script-tag': asScript(scriptTag('pix-checkout', 'checkout/element/script-tag')),
  card: scriptTag('pix-checkout-card', 'checkout/card/card-file-entry'),
  modal: scriptTag('pix-checkout-modal', 'checkout/modal/open-checkout'),
  pay: scriptTag('pix-checkout-pay', 'checkout/pay/pay-page-entry'),
  // As any script it may stand in the page itself: its names are its own.
  start: inPage(scriptTag('pix-checkout-start', 'checkout/start/start-file-entry')),
};

/** Nobody's bundler stands behind a script tag: its file has an address, finds the card form's beside it, and bundles none of it along. */
const besideScriptTag = {
  find: /^(\..*\/)(card-file|script-address)\.js$/,
  replacement: '$1$2.script-tag.js',
};

export default defineConfig(({ mode }) => ({
  resolve: { alias: mode === 'script-tag' ? [besideScriptTag] : [] },
  build: { target: 'es2022', ...builds[mode] },
}));
