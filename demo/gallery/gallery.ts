/** The gallery page: every screen of the checkout side by side, drawn from the scenarios; the address is the choice. */

import { html, nothing, render } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import { find } from '../find.js';
import { scenarios } from '../qa/scenarios.js';
import { toQuery } from '../qa/options.js';
import { axes, framesOf, nameOf, readChoice, toFrame, toGalleryQuery } from './frames.js';
import type { Axis, Choice, Frame } from './frames.js';
import './gallery-frame.js';
import type { GalleryFrame } from './gallery-frame.js';
import { shown as screens } from './more-scenes.js';

/** There is room for the filters beside the frames. */
const isWide = matchMedia('(min-width: 62.5em)').matches;

/** Most frames drawn at once. */
const mostFrames = 240;

const groups: Readonly<Record<string, readonly string[]>> = {
  phase: ['form', 'creating', 'awaiting', 'confirming', 'paid', 'expired', 'failed'],
  method: ['pix', 'credit_card'],
  ...axes,
};

const query = new URLSearchParams(location.search);
/** `only=name,name`: just these frames, of one size of text, in one font, without controls. For pictures. */
const only = query.get('only')?.split(',').filter(Boolean);

if (only) {
  document.documentElement.dataset['still'] = '';
  const { loadPictureFont } = await import('./picture-font.js');
  await loadPictureFont();
  const frames = only.map((name) => toFrame(name, screens));
  // Pictures of larger text are taken as a payer sees it: by the root's size, one size at a time.
  document.documentElement.style.fontSize = `${frames[0]?.text ?? 100}%`;
  showFrames(frames.map((frame) => ({ ...frame, text: '100' })));
} else {
  // A frame that fits on the phone that shows it, in the theme of its reader.
  if (!query.has('width') && innerWidth < 390) query.set('width', '320');
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  if (!query.has('theme') && isDark) query.set('theme', 'dark');
  show(readChoice(query));
}
await Promise.all([...document.querySelectorAll<GalleryFrame>('gallery-frame')].map(settle));
document.documentElement.dataset['settled'] = '';

/** Shows a choice, and puts it into the address. */
function show(choice: Choice): void {
  const search = toGalleryQuery(choice).toString();
  history.replaceState(null, '', search === '' ? location.pathname : `?${search}`);
  const frames = framesOf(choice, screens);
  const shown = frames.slice(0, mostFrames);
  render(renderControls(choice, frames.length), find('controls'));
  showFrames(shown);
}

function renderControls(choice: Choice, count: number) {
  const change = (event: Event) => {
    const data = new FormData(event.currentTarget as HTMLFormElement);
    const next = new URLSearchParams();
    for (const name of Object.keys(groups))
      next.set(name, (data.getAll(name) as string[]).join(','));
    const words = data.get('find');
    next.set('find', typeof words === 'string' ? words : '');
    show(readChoice(next));
  };
  return html`<h1>Gallery</h1>
    <output>${count} frames${count > mostFrames ? `, the first ${mostFrames} shown` : ''}</output>
    <form @input=${change} @submit=${(event: Event) => event.preventDefault()}>
      <input
        type="search"
        name="find"
        placeholder="Find a screen"
        aria-label="Find a screen"
        .value=${live(choice.find)}
      />
      <details ?open=${isWide}>
        <summary>Filters <small>${toWords(choice)}</small></summary>
        <div class="filters">
          ${Object.entries(groups).map(([name, values]) =>
            renderGroup(name, values, choice[name as Axis] as readonly string[]),
          )}
          <a href="/gallery">Clear all</a>
        </div>
      </details>
    </form>
    <nav aria-label="Gallery">
      <button type="button" @click=${checkFrames}>Check with axe</button>
      <a class="button" href="/">QA page</a>
    </nav>`;
}

/** Lists the chosen values, for the line beside the folded filters. */
function toWords(choice: Choice): string {
  return Object.keys(groups)
    .flatMap((name) => choice[name as Axis])
    .join(' · ');
}

function renderGroup(name: string, values: readonly string[], chosen: readonly string[]) {
  return html`<fieldset>
    <legend>${name}</legend>
    ${values.map(
      (value) =>
        html`<label>
          <input
            type="checkbox"
            name=${name}
            value=${value}
            .checked=${live(chosen.includes(value))}
          />
          ${value}
        </label>`,
    )}
  </fieldset>`;
}

function showFrames(frames: readonly Frame[]): void {
  render(
    repeat(frames, nameOf, (frame, index) => renderFrame(frame, only?.[index] ?? nameOf(frame))),
    find('frames'),
  );
}

function renderFrame(frame: Frame, name: string) {
  const { id, label, phase, locale, theme, width, dir } = frame;
  const isPlayed = scenarios.some((scenario) => scenario.id === id);
  return html`<figure class="phase-${phase}">
    ${
      only
        ? nothing
        : html`<figcaption>
            ${isPlayed ? html`<a href=${toAddress(frame)}>${label}</a>` : html`<b>${label}</b>`}
            <small>${name}</small>
          </figcaption>`
    }
    <div
      class="frame"
      data-name=${name}
      data-theme=${theme}
      data-width=${width}
      dir=${dir}
      lang=${locale}
    >
      <gallery-frame .frame=${frame}>
        ${id === 'card-slot' ? html`<p slot="card" class="provider">The provider’s own field</p>` : nothing}
        <a slot="support" href="#controls">Falar com a loja</a>
        <p slot="paid">Obrigado! Enviaremos o código de rastreio.</p>
      </gallery-frame>
    </div>
  </figure>`;
}

/** Says below each frame whether axe finds a fault in it. */
async function checkFrames(): Promise<void> {
  const { default: axe } = await import('axe-core');
  for (const frame of document.querySelectorAll<HTMLElement>('.frame')) {
    // A frame is no page: it has no landmarks.
    const { violations } = await axe.run(frame, { rules: { region: { enabled: false } } });
    frame.dataset['axe'] = violations.map(({ id }) => id).join(' ') || 'clean';
  }
}

/** The scenario in the same look, as far as the QA page has it. */
function toAddress({ id, theme, locale, width, text, dir }: Frame): string {
  const fontSize = text === '100' ? '' : `${(16 * Number(text)) / 100}px`;
  const look = toQuery({ theme, locale, frame: width, dir, '--pix-font-size': fontSize });
  return `/?${new URLSearchParams({ scenario: id })}&${look}`;
}

/** A card form asks for another update once something is typed. */
async function settle(frame: GalleryFrame): Promise<void> {
  while (!(await frame.updateComplete));
  await frame.updateComplete;
}
