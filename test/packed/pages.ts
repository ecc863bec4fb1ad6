/** The files of the projects that the packed package is installed in. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/tools.js';

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};

/** Entries with types. Those that need a framework stand in its template. */
const entries = Object.entries(exports)
  .filter(
    ([path, target]) => typeof target !== 'string' && !/^\.\/(solid|vue|svelte|react)$/.test(path),
  )
  .map(([path]) => `pix-checkout${path.slice(1)}`);

/** Takes everything of each entry, and hears an event. */
export const everyEntry = `${toUse(entries)}
document.addEventListener('pix-paid', ({ detail }) => detail.externalId.trim());
export const checkout: entry0.PixCheckout = document.createElement('pix-checkout');
`;

/** Loads each entry in Node, where no optional package is installed: the ledger needs one. */
export const everyServerEntry = entries
  .filter((entry) => !entry.endsWith('ledger'))
  .map((entry) => `import('${entry}');`)
  .join('\n');

export const commonJs = `import { signOrder } from 'pix-checkout/order-token';\nvoid signOrder;\n`;

export const required = "console.log(typeof require('pix-checkout/order-token').signOrder)";

/** What a server takes, where TypeScript knows of no page. */
const serverEntries = /(proxy|node|ledger|service|sandbox|order-token|html)$/;

export const everyServerType = toUse(entries.filter((entry) => serverEntries.test(entry)));

const strict = {
  strict: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2022', 'DOM'],
  // Of declarations, TypeScript's own are not ours to check.
  skipDefaultLibCheck: true,
};

/** A configuration of TypeScript for each way of resolving types, as `bundler.json` and so on. */
export function toConfigs(...resolutions: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    resolutions.map((moduleResolution) => {
      const module = moduleResolution === 'bundler' ? 'ESNext' : moduleResolution;
      const compilerOptions = { ...strict, module, moduleResolution, types: ['node'] };
      return [
        `${moduleResolution}.json`,
        JSON.stringify({ compilerOptions, include: ['page.ts', '*.cts'] }),
      ];
    }),
  );
}

/** The same for a server: no type of a page is known. */
export const serverConfig = JSON.stringify({
  compilerOptions: { ...strict, lib: ['ES2022'], module: 'nodenext', types: ['node'] },
  include: ['server.ts'],
});

/** What pages take, without types of Node. */
export const everyPageType = toUse(entries.filter((entry) => !serverEntries.test(entry)));

/** For an older TypeScript, with the declarations of all packages checked or not. */
export function toOldConfig(file: 'page' | 'server', moduleResolution: string, checked: boolean) {
  const compilerOptions = {
    ...strict,
    ...(file === 'server' ? { lib: ['ES2022'], types: ['node'] } : { types: [] }),
    typeRoots: [join(root, 'node_modules/@types')],
    module: moduleResolution === 'node' ? 'ESNext' : moduleResolution,
    moduleResolution,
    skipLibCheck: !checked,
  };
  return JSON.stringify({ compilerOptions, include: [`${file}.ts`] });
}

/** A test of a shop that runs in Jest, and the settings that the document gives. */
export const inJest = {
  'checkout.test.js': `
    import 'pix-checkout';
    import { fakeCheckout } from 'pix-checkout/testing';
    test('the form is drawn', async () => {
      document.body.innerHTML = '<pix-checkout endpoint="/pix" external-id="order-1042" total-price-cents="12990">';
      const element = document.querySelector('pix-checkout');
      while (element.phase !== 'form') await element.updateComplete;
      await element.updateComplete;
      expect(element.shadowRoot.textContent).toContain('Gerar código Pix');
      await expect(fakeCheckout(window)).rejects.toThrow('fetch');
    });
  `,
  'jest.config.mjs': readFileSync(join(root, 'src/testing/README.md'), 'utf8')
    .replace(/^[^]*`jest\.config\.mjs`\n+ *```js\n/, '')
    .replace(/```[^]*$/, ''),
};

/** A module that takes everything of these entries. */
function toUse(names: readonly string[]): string {
  return `
${names.map((entry, at) => `import * as entry${at} from '${entry}';`).join('\n')}
export const all: object[] = [${names.map((_, at) => `entry${at}`).join(', ')}];`;
}

/** Pays the one order of the shop that people copy, and reads the e-mail that reminds of it. */
export const paidOrder = `
import { createProxy } from 'pix-checkout/proxy';
import { createSandbox, serveSandbox } from 'pix-checkout/sandbox';
import { createMailbox } from './email.js';
import { createShop, exampleReference } from './shop.js';

const own = { secrets: ['a secret of this test, 32 bytes long!!'], publicUrl: 'http://localhost/pix' };
const sandbox = createSandbox({ accessToken: 'token' });
const service = await serveSandbox(sandbox);
const { answer, orders, ...hooks } = createShop(own);
const { resolveOrder, onPaid, onReturned } = hooks;
const mailbox = createMailbox('Café da Serra', 'http://localhost');
const { promise: isTold, resolve: told } = withResolvers();
const { promise: isReminded, resolve: reminded } = withResolvers();
const proxy = createProxy({
  ...own,
  serviceUrl: service.url,
  accessToken: 'token',
  allowedOrigins: ['http://localhost'],
  resolveOrder,
  onPaid: async (payment) => { await onPaid(payment); told(); },
  onReturned,
  onPixWaiting: async (notice) => { await mailbox.onPixWaiting(notice); reminded(); },
  allowSandbox: true,
  log: () => undefined,
});
const url = \`http://localhost/orders/\${exampleReference}\`;
const { orderToken } = (await (await answer(new Request(url))).json()) as { orderToken: string };
const made = await proxy.createInvoice({ externalId: exampleReference, orderToken, method: 'pix' });
await isReminded;
await fetch(\`\${service.url}/sandbox/invoices/\${made.invoice_id}/settle\`, { method: 'POST' });
const look = new Request(\`\${own.publicUrl}/invoices/\${made.invoice_id}\`, {
  headers: { authorization: \`Bearer \${made.lookup_token}\` },
});
await proxy.fetch(look);
await isTold;
const email = await mailbox.answer(new Request(url)).text();
const amount = /R\\$\\s[\\d,]+/.exec(email)?.[0].replace(/\\s/, ' ');
console.log(orders.get(exampleReference)?.status, made.total_cents, amount);
process.exit();

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
`;

/** A page for any bundler. */
export const bundled = {
  'page.js': "import 'pix-checkout';\n",
  'index.html':
    '<!doctype html><title>Shop</title><script type="module" src="./page.js"></script>\n',
  'package.json': '{"name":"shop","private":true,"type":"module","source":"index.html"}',
  'webpack.js': `
    import webpack from 'webpack';
    webpack({ mode: 'production', entry: './page.js', output: { path: import.meta.dirname + '/out' } }, (error, stats) => {
      if (error || stats.hasErrors()) throw error ?? new Error(stats.toString());
    });
  `,
};

const registers = /customElements\.define\(/;

/** What a bundle holds: elements that are registered, copies of Lit, traces of its build for development, card forms. */
export function factsOf(scripts: readonly string[]) {
  const count = (pattern: RegExp) => scripts.join('\n').match(pattern)?.length ?? 0;
  return {
    elements: count(new RegExp(registers, 'g')),
    lits: count(/\.litHtmlVersions\b/g),
    forDevelopment: count(/Lit is in dev mode/g),
    cardFiles: scripts.filter((script) => /cc-csc/.test(script)).length,
    isCardApart: !scripts.some((script) => /cc-csc/.test(script) && registers.test(script)),
  };
}

/** What each bundler has to make of it: the card form in a file that is fetched when it is needed. */
export const wanted: ReturnType<typeof factsOf> = {
  elements: 1,
  lits: 1,
  forDevelopment: 0,
  cardFiles: 1,
  isCardApart: true,
};

const templateOptions = {
  ...strict,
  module: 'ESNext',
  moduleResolution: 'Bundler',
  jsx: 'preserve',
  types: [],
};

/** In JSX a mistake is a mistake where its comment stands. @param options of the compiler */
function toJsx(name: string, options: object): Record<string, string> {
  return toPage(
    name,
    options,
    'jsx',
    `<pix-checkout
      endpoint="/pix" external-id="order-1042" total-price-cents={12_990} auto-start lang="pt" methods="pix"
      installments={[{ installment: 3, total_cents: 12_990 }]} data-id="1" aria-label="Pagar"
      onpix-paid={(event) => event.detail.externalId.trim()}
    >
      <a href="/">Pagar de outro jeito</a>
    </pix-checkout>`,
    [
      'endpiont="/pix"',
      'installments={[{ installment: 3 }]}',
      'methods="boleto"',
      'onPixPaid={() => undefined}',
      'onpix-paid={(event) => event.detail.reference}',
    ],
  );
}

/** A page, and the configuration that compiles it. @param wrong what each is refused */
function toPage(
  name: string,
  options: object,
  entry: string,
  right: string,
  wrong: readonly string[],
): Record<string, string> {
  const mistakes = wrong.map(
    (words, at) => `// @ts-expect-error
export const mistake${at} = <pix-checkout ${words} />;`,
  );
  const compilerOptions = { ...templateOptions, ...options };
  return {
    [`${name}.json`]: JSON.stringify({ compilerOptions, include: [`${name}.tsx`] }),
    [`${name}.tsx`]: `
      import 'pix-checkout';
      import 'pix-checkout/${entry}';
      export const page = ${right};
      ${mistakes.join('\n')}
    `,
  };
}

const react18 = {
  react: ['./node_modules/types-react-18'],
  'react/*': ['./node_modules/types-react-18/*'],
};

/** Pages in JSX, by the names of their configurations. */
export const inJsx: Readonly<Record<string, string>> = {
  ...toJsx('react-19', { jsx: 'react-jsx' }),
  ...toJsx('react-18', { jsx: 'react-jsx', paths: react18 }),
  ...toJsx('preact', { jsx: 'react-jsx', jsxImportSource: 'preact' }),
  ...toPage(
    'solid',
    { jsxImportSource: 'solid-js' },
    'solid',
    `<pix-checkout
      attr:endpoint="/pix" attr:external-id="order-1042" attr:total-price-cents={12_990} class="shop"
      prop:installments={[{ installment: 3, total_cents: 12_990 }]} attr:methods="pix" prop:methods="pix"
      on:pix-paid={(event) => event.detail.externalId.trim()}
    >
      <a href="/">Pagar de outro jeito</a>
    </pix-checkout>`,
    [
      'externalId="order-1042"',
      'attr:externalId="order-1042"',
      'attr:methods="boleto"',
      'prop:installments={[{ installment: 3 }]}',
      'on:pix-paid={(event) => event.detail.reference}',
    ],
  ),
};

/** A project whose template names the tag, and the places of the mistakes that its checker has to find. */
interface Template {
  readonly files: Readonly<Record<string, string>>;
  /** The program, and its arguments. */
  readonly checker: readonly [string, ...string[]];
  readonly mistakes: readonly string[];
}

/** By the names of the frameworks. */
export const templates: Readonly<Record<string, Template>> = {
  Vue: {
    files: {
      'tsconfig.json': JSON.stringify({
        compilerOptions: templateOptions,
        vueCompilerOptions: { strictTemplates: true },
        include: ['*.vue'],
      }),
      'page.vue': `
<script setup lang="ts">
import 'pix-checkout';
import 'pix-checkout/vue';
const table = [{ installment: 3, total_cents: 12_990 }];
</script>
<template>
  <pix-checkout
    class="shop" endpoint="/pix" external-id="order-1042" :total-price-cents="12990" auto-start
    :installments="table" @pix-paid="(event) => event.detail.externalId.trim()"
  ><a href="/">Pagar de outro jeito</a></pix-checkout>
  <pix-checkout :installments="[{ installment: 3 }]" />
  <pix-checkout @pix-paid="(event) => event.detail.reference" />
  <pix-checkout endpiont="/pix" />
</template>`,
    },
    checker: ['vue-tsc/bin/vue-tsc.js', '-p', '.'],
    mistakes: ['page.vue:12', 'page.vue:13', 'page.vue:14'],
  },
  Svelte: {
    files: {
      'tsconfig.json': JSON.stringify({ compilerOptions: templateOptions, include: ['*.svelte'] }),
      'page.svelte': `
<script lang="ts">
  import 'pix-checkout';
  import 'pix-checkout/svelte';
  const table = [{ installment: 3, total_cents: 12_990 }];
</script>
<pix-checkout
  class="shop" endpoint="/pix" external-id="order-1042" total-price-cents={12990} auto-start
  installments={table} onpix-paid={(event) => event.detail.externalId.trim()}
><a href="/">Pagar de outro jeito</a></pix-checkout>
<pix-checkout installments={[{ installment: 3 }]}></pix-checkout>
<pix-checkout onpix-paid={(event) => event.detail.reference}></pix-checkout>
<pix-checkout endpiont="/pix"></pix-checkout>`,
    },
    checker: ['svelte-check/bin/svelte-check', '--output', 'machine'],
    mistakes: ['page.svelte:11', 'page.svelte:12', 'page.svelte:13'],
  },
};

/** Where a checker found mistakes, as \`page.vue:12\`. */
export function mistakesIn(output: string): string[] {
  const places = output.matchAll(/^(?:\d+ ERROR )?"?([\w./-]+)"?(?:\(| )(\d+)[,:]\d+.*$/gm);
  return [...places].map(([, file, line]) => `${file}:${line}`);
}
