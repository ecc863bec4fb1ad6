import { hydrate } from 'svelte';
import Page from './Page.svelte';

hydrate(Page, { target: document.getElementById('app'), props: globalThis.given });
