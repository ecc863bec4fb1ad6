/**
 * What each part of the script tag's file weighs: the file is built once for each part, with that part cut out.
 *
 * The parts do not add up to the whole: what is alike in two of them is compressed away once. Knows how the file is bundled
 * from vite.config.ts alone.
 */
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Plugin } from 'vite';
import { root } from '../tools/tools.js';
import { table } from './table.js';

/** The first match counts. */
const parts: readonly (readonly [name: string, files: RegExp])[] = [
  ['Lit', /node_modules\/(@lit|lit)/],
  ['QR', /\/views\/qr\/|node_modules\/qrcode/],
  ['styles', /\.styles\.ts$/],
  ['views', /\/checkout\/views\//],
  ['machine', /\/checkout\/machine\//],
  ['controller', /\/element\/controller\.ts$/],
  ['element', /\/checkout\/element\//],
  ['page: order and what was typed', /\/checkout\/page\//],
  ['network, storage, page life', /\/checkout\/browser\//],
  ['words in Portuguese', /\/locales\/pt-br\.ts$/],
  ['choice of a language, formats', /\/checkout\/locales\//],
  ['way to the card form', /\/checkout\/card\//],
  ['contract: readers and codes', /\/contract\//],
  ['BR Code', /\/domain\/(br-code|tlv)\.ts$/],
  ['rules for the payer', /\/domain\//],
];

/** Lines of a table. */
export async function measureSize(): Promise<string[]> {
  const whole = await weigh(null);
  const rows: string[][] = [];
  for (const [name, files] of parts) {
    const { bytes, brotli } = await weigh(files);
    rows.push([name, String(whole.bytes - bytes), String(whole.brotli - brotli)]);
  }
  rows.push(['**the whole file**', `**${whole.bytes}**`, `**${whole.brotli}**`]);
  return table(['cut out', 'bytes', 'brotli'], rows);
}

async function weigh(files: RegExp | null): Promise<{ bytes: number; brotli: number }> {
  const built = await build({
    root,
    mode: 'script-tag',
    configFile: `${root}/vite.config.ts`,
    logLevel: 'silent',
    build: { write: false },
    plugins: files ? [cutOut(files)] : [],
  });
  const [output] = [built].flat();
  const chunks = output && 'output' in output ? output.output : [];
  const chunk = chunks.find(({ fileName }) => fileName === 'pix-checkout.min.js');
  const code = Buffer.from(chunk?.type === 'chunk' ? chunk.code : '');
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: code.length,
  };
  return { bytes: code.length, brotli: brotliCompressSync(code, { params }).length };
}

/** Puts in the place of each module one that exports the same names, does nothing, and keeps what it imports in the file. */
function cutOut(files: RegExp): Plugin {
  return {
    name: 'cut-out',
    enforce: 'post',
    transform(code, id) {
      const [path = ''] = id.replace(root, '').split('?');
      if (parts.find(([, pattern]) => pattern.test(path))?.[1] !== files) return null;
      const imports: string[] = [];
      const used: string[] = [];
      const exported: string[] = [];
      for (const node of this.parse(code).body) {
        const text = code.slice(node.start, node.end);
        if (node.type === 'ImportDeclaration') {
          imports.push(text);
          used.push(...node.specifiers.map(({ local }) => local.name));
        } else if (node.type === 'ExportAllDeclaration') {
          imports.push(text);
        } else if (node.type === 'ExportNamedDeclaration') {
          const declared = /^export (?:async )?(?:const|let|class|function) (\w+)/.exec(text)?.[1];
          const listed = node.specifiers.map(({ exported: name }) =>
            name.type === 'Identifier' ? name.name : name.value,
          );
          exported.push(...listed, ...(declared === undefined ? [] : [declared]));
        }
      }
      // CommonJS.
      if (imports.length + exported.length === 0) return 'module.exports = {}';
      const stubs = exported.map((name) => `cutOut as ${name}`);
      const kept = used.length > 0 ? `keepImports(${used.join()});` : '';
      return `${imports.join('\n')}\nconst { cutOut, keepImports } = globalThis; ${kept} export { ${stubs.join()} };`;
    },
  };
}
