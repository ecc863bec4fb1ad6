import { render as renderPage } from 'svelte/server';
import Page from './Page.svelte';

export const render = async (given) => (await renderPage(Page, { props: given })).body;
