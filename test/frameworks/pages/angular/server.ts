import '@angular/compiler';
import { mergeApplicationConfig } from '@angular/core';
import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser';
import { provideServerRendering, renderApplication } from '@angular/platform-server';
import { configOf, Page, type Given } from './page.js';

const document = `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Loja</title>
  <link rel="icon" href="data:,"></head><body><shop-page></shop-page></body></html>`;

// Angular's own builder says so; without, it takes this for a browser once the page is rendered.
Object.assign(globalThis, { ngServerMode: true });

export function render(given: Given): Promise<string> {
  const config = mergeApplicationConfig(configOf(given), { providers: [provideServerRendering()] });
  const bootstrap = (context: BootstrapContext) => bootstrapApplication(Page, config, context);
  return renderApplication(bootstrap, { document, url: '/' });
}
