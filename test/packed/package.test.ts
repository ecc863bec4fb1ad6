/** What a merchant installs: the built files, their exports, and what the tarball holds. Needs `npm run build` first. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { build } from 'esbuild';
import type { BuildFailure } from 'esbuild';
import { optionalPackages } from '../../src/proxy/runtime/optional-package.js';
import { toNotices } from '../tools/build/licenses.js';
import { builtFile, integrity } from '../tools/built-files.js';
import { isOtherNode } from '../tools/runs.js';
import { root, runNode } from '../tools/tools.js';
import { column } from '../support/rows.js';

const manifest = readJson('package.json') as {
  exports: Record<string, string | { types: string; default: string }>;
  unpkg: string;
  jsdelivr: string;
  customElements: string;
  'web-types': string;
  peerDependencies: Record<string, string>;
};

if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist/: npm run build makes it');

/** Standard decorators and `accessor` pass Vite unchanged, and no browser parses them. */
const strayDecorator = /@(customElement|property|state|query)\b|\baccessor\s+[#\w]/;

describe('the package', () => {
  const promised = [
    ...Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    ),
    manifest.unpkg,
    manifest.jsdelivr,
    manifest.customElements,
    manifest['web-types'],
  ];
  for (const path of new Set(promised)) {
    it(`has ${path}`, () => assert.ok(existsSync(join(root, path))));
  }

  it('takes the optional packages that it says it takes', () => {
    const ranges = Object.entries(optionalPackages).map(([name, { least }]) => [
      name,
      `>=${least.replace(/(\.0)+$/, '')}`,
    ]);
    const others = { qrcode: '>=1.5', react: '*' };
    assert.deepEqual(manifest.peerDependencies, { ...Object.fromEntries(ranges), ...others });
  });

  // Node has no DOM: the element's entries must still load there, for pages rendered on a server.
  const entries: [entry: string, names: string[]][] = [
    ['pix-checkout', ['PixCheckout', 'openCheckout']],
    ['pix-checkout/element', ['PixCheckout']],
    ['pix-checkout/react', ['PixCheckout']],
    ['pix-checkout/html', ['renderInvoice']],
    ['pix-checkout/proxy', ['createProxy', 'ProxyError']],
    ['pix-checkout/order-token', ['signOrder', 'verifyOrder']],
    ['pix-checkout/node', ['createNodeListener']],
    ['pix-checkout/ledger', ['openLedger', 'LedgerError']],
    ['pix-checkout/service', ['createServiceClient', 'ServiceError']],
    ['pix-checkout/sandbox', ['createSandbox']],
  ];
  for (const [entry, names] of entries) {
    it(`gives ${names.join(', ')} to import('${entry}') in Node`, async () => {
      const script = `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`;
      const { code, output } = await runNode(['--input-type=module', '--eval', script]);
      assert.equal(code, 0, output);
      const exported = JSON.parse(output) as string[];
      assert.deepEqual(
        names.filter((name) => !exported.includes(name)),
        [],
      );
    });
  }

  // npm runs on this machine's own Node.
  it.skipIf(isOtherNode)('packs the built files and its papers, nothing else', () => {
    const packed = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        shell: process.platform === 'win32',
      }),
    ) as [{ files: { path: string }[] }];
    const paths = packed[0].files.map(({ path }) => path);
    const expected =
      /^(dist\/.+|(src\/(.+\/)?)?[A-Z-]+\.md|demo\/(README\.md|flow\.svg|(email|shop)\.ts|(examples|operations|proxies|screenshots|shops)\/.+|container\/(\.dockerignore|Dockerfile|compose\.yaml|package(-lock)?\.json))|LICENSE|package\.json)$/;
    assert.ok(paths.includes('dist/index.js'));
    // No entry leads to its types.
    assert.ok(!paths.includes('dist/checkout/machine/transition.d.ts'));
    assert.deepEqual(
      paths.filter((path) => !expected.test(path)),
      [],
    );
  });
});

describe('dist/LICENSES.md', () => {
  const notices = readFileSync(join(root, 'dist/LICENSES.md'), 'utf8');
  const bundled: [name: string, file: string][] = [
    ['lit', 'LICENSE'],
    ['lit-html', 'LICENSE'],
    ['lit-element', 'LICENSE'],
    ['@lit/reactive-element', 'LICENSE'],
    ['@lit/react', 'LICENSE'],
    ['qrcode', 'license'],
    ['dijkstrajs', 'LICENSE.md'],
  ];

  it('names what is bundled, and nothing else', () => {
    const named = [...notices.matchAll(/^## (\S+) /gm)].map(([, name]) => name);
    assert.deepEqual(new Set(named), new Set(bundled.map(([name]) => name)));
  });

  for (const [name, file] of bundled) {
    it(`holds the licence of ${name} word for word`, () => {
      const text = readFileSync(join(root, 'node_modules', name, file), 'utf8');
      assert.ok(notices.includes(text.trim()));
    });
  }

  it('names every package whose modules the maps name', () => {
    const maps = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.map'))
      .flatMap((path) => (readJson(`dist/${path}`) as { sources: string[] }).sources);
    const packages = maps.flatMap(
      (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
    );
    assert.ok(packages.includes('qrcode'));
    for (const name of packages)
      assert.ok(
        bundled.some(([one]) => one === name),
        name,
      );
  });

  it('is not made where a package comes without one: the build stops', () => {
    const one = { name: 'one', version: '1.0.0', identifier: 'MIT', text: 'Copyright One' };
    const { text: _, ...two } = { ...one, name: 'two' };
    assert.match(toNotices([one, one]), /^## one 1\.0\.0 \(MIT\)\n\nCopyright One\n$/m);
    assert.throws(() => toNotices([one, two]), /without a licence: two 1\.0\.0$/);
  });
});

describe('the ES modules', () => {
  const modules = new Map(
    (readdirSync(join(root, 'dist'), { recursive: true }) as string[])
      .filter((path) => path.endsWith('.js'))
      .map((path) => `dist/${path.replaceAll('\\', '/')}`)
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );

  const entries: [entry: string, packages: RegExp][] = [
    ['index', /^lit(\/|$)/],
    ['element', /^lit(\/|$)/],
    ['html', /^lit(\/|$)/],
    // Nothing at all.
    ['order-token', /(?!)/],
    ['react', /^(lit(\/|$)|react$)/],
    ['proxy', /^(zod\/mini|qrcode)$/],
    ['service', /^zod\/mini$/],
    ['ledger', /^(sql-template-tag$|libsql$|pg$|node:(fs|path|url)$)/],
    ['sandbox', /^(zod\/mini$|node:)/],
    ['node', /^(node:|prom-client$|undici$)/],
  ];
  for (const [entry, packages] of entries) {
    it(`of ${entry} load no package but ${packages.source}`, async () => {
      const foreign = (await readPackages(`${entry}.js`)).filter((name) => !packages.test(name));
      assert.deepEqual(foreign, []);
    });
  }

  it('keep what is imported for its effect alone: the style sheet of drawn codes, and types of templates', async () => {
    const names = ['pix-checkout.css', 'jsx', 'solid', 'vue', 'svelte'];
    const contents = names.map((name) => `import 'pix-checkout/${name}';`).join('\n');
    const { outputFiles, warnings } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      outdir: 'out',
      write: false,
      logLevel: 'silent',
    });
    assert.deepEqual(column(warnings, 'text'), []);
    const css = outputFiles.find(({ path }) => path.endsWith('.css'))?.text ?? '';
    assert.match(css, /pix-checkout/);
  });

  it('can be bundled where only one of the ledger’s drivers is installed', async () => {
    for (const driver of ['pg', 'libsql']) {
      const { errors } = await build({
        // Text, not a file: nothing is resolved from here.
        stdin: { contents: modules.get('dist/ledger.js') ?? '', resolveDir: tmpdir() },
        bundle: true,
        format: 'esm',
        platform: 'node',
        external: ['sql-template-tag', driver, './chunks/*'],
        write: false,
        logLevel: 'silent',
      }).catch((failure: BuildFailure) => failure);
      const told = errors.map(({ text }) => text);
      assert.deepEqual(told, [], `with ${driver}`);
    }
  });

  it('make a small bundle for a worker, with nothing of the element', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: "export * from 'pix-checkout/proxy';", resolveDir: root },
      bundle: true,
      format: 'esm',
      // As where this optional package is not installed.
      external: ['qrcode'],
      minify: true,
      metafile: true,
      write: false,
    });
    const inputs = Object.keys(metafile.inputs);
    assert.deepEqual(
      inputs.filter((path) => /node_modules\/(lit|@lit|lit-html|qrcode)\//.test(path)),
      [],
    );
    const bytes = outputFiles[0]?.contents.length ?? 0;
    assert.ok(bytes > 0 && bytes <= 204_000, `${bytes} bytes`);
  });

  it('make a proxy without what a worker refuses before its first request', async () => {
    const script = `
      const refused = [];
      const refuse = (target, name) => {
        target[name] = function () {
          refused.push(name);
          throw new Error(name);
        };
      };
      for (const name of ['AbortController', 'setTimeout', 'setInterval', 'setImmediate', 'fetch']) refuse(globalThis, name);
      for (const name of ['timeout', 'any', 'abort']) refuse(AbortSignal, name);
      for (const name of ['getRandomValues', 'randomUUID']) refuse(crypto, name);
      for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype)) if (name !== 'constructor') refuse(crypto.subtle, name);
      refuse(Math, 'random');
      const { createProxy } = await import('pix-checkout/proxy');
      createProxy({
        serviceUrl: 'https://service.example', accessToken: 'token', secrets: ['x'.repeat(32)],
        publicUrl: 'https://shop.example/pix', allowedOrigins: ['https://shop.example'],
        resolveOrder: () => null, onPaid: () => undefined, log: () => undefined,
      });
      console.log(JSON.stringify(refused));`;
    const { code, output } = await runNode(['--input-type=module', '--eval', script]);
    assert.deepEqual([code, output.trim()], [0, '[]']);
  });

  it('register the element in index, which bundlers must not drop as unused', () => {
    assert.match(modules.get('dist/index.js') ?? '', /customElements\.define\(/);
  });

  it('say of the component for React that it is one of the browser', () => {
    assert.match(modules.get('dist/react.js') ?? '', /^['"]use client['"];/);
  });

  it('hold no decorator that a browser could not parse', () => {
    for (const [path, text] of modules) assert.doesNotMatch(text, strayDecorator, path);
  });
});

const entryFile = 'pix-checkout.min.js';

/** What the script tag's file fetches on demand, from beside it. */
const cardFile = builtFile('card');
const onDemand = [cardFile, builtFile('en'), builtFile('es')];

/** The card form once more, for a page's own tag. */
const namedCardFile = 'pix-checkout-card.min.js';
const namedLanguages = ['en', 'es'].map((language) => `pix-checkout-${language}.min.js`);

/** The payment page's own script. */
const payFile = 'pix-checkout-pay.min.js';

/** For pages that open the checkout in a dialog. */
const modalFile = 'pix-checkout-modal.min.js';

/** Before the element's file, or in the page itself. */
const startFile = 'pix-checkout-start.min.js';

for (const file of [entryFile, ...onDemand, payFile, modalFile]) {
  describe(file, () => checkScript(file));
}

describe('the file of the script tag', () => {
  const text = readScript(entryFile);

  it('registers the element', () => assert.match(text, /customElements\.define\(/));

  it('imports nothing but, on demand, the files beside it', () => {
    const imports = text.match(/\bimport\b\s*(\(|[\w{*"'`]).{0,40}/g) ?? [];
    assert.deepEqual(
      imports.map((found) =>
        (/^import\(.+?\)/.exec(found)?.[0] ?? found).replaceAll(/(?<=[({+])\w+(?=[}+)])/g, 'x'),
      ),
      [
        `import(\`./${builtFile('en')}\`)`,
        `import(\`./${builtFile('es')}\`)`,
        // What did not come from beside the file, from where the proxy serves it.
        'import(`${x}/assets/pix-checkout-${x}.min.js`)',
        // The card form: each further try has an address of its own.
        'import(x+x)',
      ],
    );
    // A classic script that holds it does not begin.
    assert.ok(!text.includes('import.meta'));
    assert.ok(text.includes(cardFile));
  });

  it('is not asked for by the files beside it, which would load it twice', async () => {
    for (const file of [...onDemand, modalFile]) assert.deepEqual(await readPackages(file), []);
    assert.doesNotMatch(text, /showModal/);
  });

  it('holds nothing of the card form', () => {
    assert.match(readScript(cardFile), /cc-csc/);
    assert.doesNotMatch(text, /cc-csc/);
  });

  it('stands in dist/integrity.json with its hash, as all do that browsers load', () => {
    const scripts = [entryFile, ...onDemand, namedCardFile, ...namedLanguages];
    scripts.push(payFile, modalFile, startFile);
    const files = [...scripts, 'pix-checkout.css'];
    const hashes = files.map((file) => [
      file,
      `sha384-${createHash('sha384').update(readScript(file)).digest('base64')}`,
    ]);
    assert.deepEqual(integrity, Object.fromEntries(hashes));
  });

  it('finds what it asks for by names that say what they hold, for a file kept for ever', () => {
    assert.equal(readScript(cardFile), readScript(namedCardFile));
    const hash = createHash('sha256').update(readScript(cardFile)).digest('hex').slice(0, 8);
    assert.equal(cardFile, `pix-checkout-card.${hash}.min.js`);
  });
});

/** What a built file imports that is not in dist/, through any number of files there. */
async function readPackages(file: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(root, 'dist', file)],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return imports.filter(({ external }) => external).map(({ path }) => path);
}

function readScript(file: string): string {
  return readFileSync(join(root, 'dist', file), 'utf8');
}

function checkScript(file: string): void {
  const text = readScript(file);
  const absent: [name: string, pattern: RegExp][] = [
    ['a decorator', strayDecorator],
    ["Lit's development build", /dev mode/i],
    ['code made from text', /\beval\(|new Function\b/],
    ['a source map', /sourceMappingURL/],
    ['an environment variable', /process\.env/],
  ];
  for (const [name, pattern] of absent) {
    it(`does not hold ${name}`, () => assert.doesNotMatch(text, pattern));
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
