/**
 * The looks of `<pix-checkout>`: tokens on the host, and plain styles for the shadow content. No logic. It is one long file,
 * because it is one cascade, whose parts would depend on their order.
 *
 * A page changes the tokens on the element (`pix-checkout { --pix-color-accent: … }`). The element follows the `color-scheme`
 * that the page gives it. Without one it is light, as the page itself is. The class describes the tokens, where the manifest
 * finds them.
 */
// oxlint-disable max-lines

import { unsafeCSS } from 'lit';
import { colors, css, declareColors, sizes } from './design-tokens.js';

const sheet = css`
  :host {
    display: block;
    --pix-color-mark: var(--pix-color-accent);
  }
  /* Sizes depend on the element's own width. As a container it gets no width from its content, so this is its width in a parent
     that shrinks. */
  @supports (contain-intrinsic-inline-size: 1cqi) {
    :host {
      container-type: inline-size;
      contain-intrinsic-inline-size: 320px;
      --pix-padding: clamp(16px, 5cqi, 32px);
    }
  }
  /* The readable colours for any accent, in browsers that can compute them from the accent, so that the shop need not name them. */
  @supports (color: light-dark(color(from light-dark(red, red) xyz x y z), red)) {
    :host {
      /* The y of xyz is the luminance of WCAG. The result is black or white, whichever has the higher contrast: values above the range
         are cut to white. */
      --pix-color-on-accent: color(
        from var(--pix-color-accent) xyz calc((0.18 - y) * 9999) calc((0.18 - y) * 9999)
          calc((0.18 - y) * 9999)
      );
      /* A contrast of at least 4.5:1 to the light surface and to the dark one: with less light of the same hue, or with grey added. */
      --pix-color-mark: light-dark(
        color(
          from var(--pix-color-accent) xyz calc(x * min(1, 0.17 / y)) calc(y * min(1, 0.17 / y))
            calc(z * min(1, 0.17 / y))
        ),
        color(
          from var(--pix-color-accent) xyz calc(x + max(0, 0.27 - y)) calc(y + max(0, 0.27 - y))
            calc(z + max(0, 0.27 - y))
        )
      );
    }
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
    padding: 0;
  }
  .checkout {
    /* The page's text styles stay outside; only the tokens come in. */
    all: initial;
    color-scheme: inherit;
    visibility: inherit;
    pointer-events: inherit;
    direction: ltr;
    user-select: text;
    -webkit-user-select: text;
    box-sizing: border-box;
    position: relative;
    isolation: isolate;
    /* Boxes inside keep their height when the element itself is kept high. */
    display: flex;
    flex-direction: column;
    gap: var(--pix-gap);
    max-inline-size: var(--pix-max-width);
    margin-inline: auto;
    padding: var(--pix-padding);
    padding-block-start: max(var(--pix-padding), 1.75em);
    /* The page's root size may be smaller (the 62.5 % habit), but iOS zooms into inputs under 16 px. */
    font: 400 max(var(--pix-font-size), 16px) / 1.5 var(--pix-font);
    text-wrap: pretty;
    overflow-wrap: anywhere;
    color: var(--pix-color-text);
    background: var(--pix-color-surface);
    border: 1px solid var(--pix-color-line);
    border-radius: calc(2 * var(--pix-radius));
    box-shadow: var(--pix-shadow);
  }
  .said,
  #whole {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }
  /* The mark hangs from the edge, in the padding, so that nothing moves when it appears, nor for a dialog's header. */
  .test {
    position: absolute;
    z-index: 2;
    inset: 0 0 auto;
    inline-size: fit-content;
    padding: 2px 0.75em;
    margin-inline: auto;
    font-size: 0.75em;
    font-weight: 600;
    line-height: 1.3;
    color: #3b2f00;
    background: #ffd84d;
    border-radius: 0 0 8px 8px;
  }
  /* A place that is narrow for its text: the mark of a test gets a line of its own. */
  @container (width < 15rem) {
    .checkout {
      hyphens: auto;
    }
    .test {
      position: static;
    }
    p.status {
      min-block-size: 6em;
    }
  }
  /* One stroke for every drawing, at 20 pixels beside text. */
  .icon,
  .ring {
    flex: none;
    inline-size: 1.25em;
    block-size: 1.25em;
    fill: none;
    stroke: currentcolor;
    stroke-width: 1.75;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  /* Work is in progress: a ring with a mark on it, which turns unless the reader prefers less motion. */
  .ring {
    border: 2px solid var(--pix-color-border);
    border-block-start-color: var(--pix-color-mark);
    border-radius: 50%;
  }
  .primary .ring {
    border-color: currentcolor;
    border-block-start-color: transparent;
  }
  .muted,
  .hint,
  small,
  dt,
  figcaption,
  .receiver {
    color: var(--pix-color-muted);
  }
  small,
  .hint,
  .fault,
  .switch,
  .line .muted,
  .status,
  .code,
  label .muted,
  figcaption {
    font-size: 0.875em;
  }
  strong,
  b {
    font-weight: 600;
    color: var(--pix-color-text);
  }
  :focus-visible,
  #whole:focus-visible ~ label {
    outline: var(--pix-focus-ring);
    outline-offset: 2px;
  }
  .field :focus-visible,
  textarea:focus-visible {
    outline-offset: 0;
  }
  h2,
  h3 {
    font-size: 1em;
    font-weight: 600;
  }
  h2 {
    margin-block-end: 0.25em;
    scroll-margin-block: 30vh;
  }
  /* A script moved the focus here, so that a screen reader goes on from this place. It needs no ring, because there is nothing to
     press. */
  #title {
    outline: none;
  }

  /* Relative to the element's width where the browser can tell it, or else to the window's. */
  .total {
    font-size: min(var(--pix-amount-size), 11vw);
    font-size: min(var(--pix-amount-size), 11cqi);
    font-weight: 700;
    line-height: 1.2;
    letter-spacing: -0.02em;
    white-space: nowrap;
  }
  .long {
    font-size: min(1.75em, 8cqi);
  }
  .total,
  .deadline,
  li,
  dd {
    font-variant-numeric: tabular-nums;
  }
  .bar {
    display: block;
    inline-size: 100%;
    block-size: 4px;
    /* Partly in the gap below, because a deadline adds a line. */
    margin-block: 4px -4px;
    color: var(--pix-color-mark);
    fill: currentcolor;
    background: var(--pix-color-line);
    border-radius: 2px;
  }
  .deadline,
  .discount {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.75em;
  }
  .discount strong,
  .status .icon {
    color: var(--pix-color-mark);
  }
  .chip {
    padding-inline: 0.625em;
    font-size: 0.875em;
    font-style: normal;
    font-weight: 600;
    line-height: 1.75;
    color: var(--pix-color-mark);
    border: 1px solid;
    border-radius: 1em;
  }

  .summary {
    border-block: 1px solid var(--pix-color-line);
  }
  .head > .summary {
    margin-block-start: var(--pix-gap);
  }
  .made {
    line-height: 1.25;
  }
  .made *,
  .receiver strong {
    display: inline-block;
  }
  summary,
  .line {
    display: flex;
    align-items: center;
    justify-content: space-between;
    min-block-size: 48px;
    padding-block: 0.5em;
  }
  /* A choice that was made, and the button that changes it. */
  .line {
    justify-content: start;
    gap: 8px;
    padding: 0 12px;
    border: 1px solid var(--pix-color-line);
    border-radius: var(--pix-radius);
    & .link {
      flex: none;
      margin-inline-start: auto;
      padding: 0;
      font-size: 0.875em;
    }
  }
  [open] small.goods {
    display: none;
  }
  summary::-webkit-details-marker {
    display: none;
  }
  .summary summary::after,
  .pick::after {
    content: '';
    flex: none;
    inline-size: 0.5em;
    block-size: 0.5em;
    margin-inline: 1em 0.25em;
    border: solid var(--pix-color-muted);
    border-width: 0 2px 2px 0;
    transform: translateY(-25%) rotate(45deg);
    pointer-events: none;
  }
  [open] > summary::after {
    transform: translateY(25%) rotate(225deg);
  }
  ul,
  ol {
    list-style: none;
  }
  ul {
    padding-block-end: 0.75em;
  }
  ul li,
  dl div {
    display: flex;
    padding-block: 0.375em;
    gap: 0 1em;
  }
  li > [translate] {
    flex: none;
    margin-inline-start: auto;
  }
  .sum {
    font-weight: 600;
    border-block-start: 1px solid var(--pix-color-line);
  }
  small {
    display: block;
  }

  button,
  input,
  select,
  textarea,
  .methods label > span,
  ::slotted(a[slot='support']),
  ::slotted(a[slot='paid']) {
    font: inherit;
    color: inherit;
    background: none;
    border: solid var(--pix-color-border);
    border-width: var(--pix-border-width);
    border-radius: var(--pix-radius);
  }
  /* A link of the page's own, alone on its line, looks like a button. */
  button,
  ::slotted(a[slot='support']),
  ::slotted(a[slot='paid']) {
    box-sizing: border-box;
    min-block-size: var(--pix-control-height);
    padding: 0.5em 1em;
    font-weight: 600;
    text-align: center;
    cursor: pointer;
  }
  .primary,
  .secondary {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 0.5em;
  }
  .primary {
    inline-size: 100%;
    min-block-size: calc(var(--pix-control-height) + 6px);
    scroll-margin-block: 16px;
    border-color: transparent;
  }
  .primary,
  .done::before,
  .sign.paid {
    color: var(--pix-color-on-accent);
    background: var(--pix-color-accent);
  }
  @media (forced-colors: active) {
    /* There is no gradient: the code ends as far from its border as it begins. */
    .code::after {
      inline-size: 1em !important;
      background: Canvas !important;
    }
    [aria-invalid],
    .methods :checked + span {
      border-width: 3px;
    }
    .primary:not(:disabled) {
      color: HighlightText;
      background: Highlight;
      forced-color-adjust: none;
    }
    .link {
      color: LinkText;
    }
    ::slotted(a[slot='support']),
    ::slotted(a[slot='paid']) {
      color: ButtonText;
      border-color: ButtonBorder;
      forced-color-adjust: none;
    }
  }
  :disabled {
    opacity: 0.65;
  }
  :disabled :disabled {
    opacity: 1;
  }
  summary,
  .link {
    cursor: pointer;
  }
  .link {
    align-content: center;
    min-block-size: 44px;
    font-weight: 500;
    border-color: transparent;
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }

  fieldset {
    display: flex;
    flex-wrap: wrap;
    gap: 12px 1em;
    min-inline-size: 0;
    border: 0;
  }
  fieldset fieldset {
    flex: 1 1 100%;
  }
  form > fieldset {
    margin-block-end: -6px;
  }
  /* A method is a box with a radio button and its text; the whole box can be pressed. */
  .methods {
    gap: 8px;
  }
  .methods label {
    position: relative;
    display: grid;
    /* The boxes stand below each other up to 560 pixels, and wherever they would be too narrow. */
    flex: 1 1 15.5em;
  }
  .methods label > span {
    display: flex;
    align-items: center;
    gap: 12px;
    padding: 16px calc(1.25em + 24px) 16px 16px;
    line-height: 1.4;
    overflow-wrap: normal;
    cursor: pointer;
  }
  .methods .icon,
  .mark .icon {
    inline-size: 1.5em;
    block-size: 1.5em;
  }
  .methods label > span > span {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    gap: 4px 12px;
  }
  .methods b {
    display: block;
  }
  .methods .chip {
    align-self: center;
  }
  .methods input {
    position: absolute;
    inset: 0 16px 0 auto;
    margin-block: auto;
    appearance: none;
    border-width: 2px;
    border-radius: 50%;
  }
  .methods input:checked {
    border: 6px solid var(--pix-color-mark);
  }
  label input {
    inline-size: 1.25em;
    block-size: 1.25em;
    accent-color: var(--pix-color-mark);
  }
  .methods :checked + span {
    background: var(--pix-color-subtle);
    border-color: var(--pix-color-mark);
    box-shadow: inset 0 0 0 1px var(--pix-color-mark);
  }
  /* Two lines are as tall as one, because the progress text may be longer than the label that it replaces. */
  form > .primary {
    padding: 0.375em 0.75em;
    line-height: 1.25;
  }
  .field {
    position: relative;
    flex: 1 1 100%;
    grid-column: 1 / -1;
    min-inline-size: 0;
    line-height: 1.25;
  }
  /* Two in a row where there is room for a word. Labels end, and controls stand, on one line, whatever wraps. */
  fieldset:has(> .short) {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(max(40%, min(100%, 7.5em)), 1fr));
  }
  ::slotted([slot='card']) {
    margin-block-end: 14px;
  }
  .short {
    display: grid;
    grid-area: auto / auto / span 3;
    grid-template-rows: subgrid;
    row-gap: 0;
  }
  .short label {
    align-self: end;
  }
  /* Below each other where a label would break, because controls side by side stand on one line. */
  .half {
    flex: 1 1 6.5em;
    min-inline-size: min-content;
  }
  .half label {
    white-space: nowrap;
  }
  label {
    font-weight: 500;
  }
  label .muted {
    font-weight: 400;
  }
  .field > input,
  .marked input,
  select {
    display: block;
    inline-size: 100%;
    min-block-size: var(--pix-control-height);
    margin-block-start: 6px;
    padding-inline: 0.75em;
    /* Its label and its fault come into view with it. */
    scroll-margin-block: 4em;
    text-overflow: ellipsis;
    background: var(--pix-color-surface);
  }
  /* The browser's own arrow differs between browsers, and touches the edge. */
  select {
    padding-block: 8px;
    padding-inline-end: 2em;
    appearance: none;
    white-space: normal;
  }
  .pick,
  .marked {
    display: grid;
    position: relative;
  }
  .pick::after {
    position: absolute;
    inset: calc(50% + 3px - 0.25em) 16px auto auto;
    margin: 0;
  }
  .mark {
    position: absolute;
    inset: 6px 12px 0 auto;
    display: flex;
    align-items: center;
    color: var(--pix-color-muted);
    pointer-events: none;
  }
  .mark b {
    padding: 2px 8px;
    font-size: 0.875em;
    background: var(--pix-color-subtle);
    border: 1px solid var(--pix-color-line);
    border-radius: 6px;
  }
  .marked input {
    padding-inline-end: 7em;
  }
  h3 {
    flex: 1 0 100%;
    margin-block-end: 8px;
  }
  fieldset + h3 {
    margin-block-start: 8px;
  }
  /* About as high as the content that replaces it. */
  .coming {
    flex: 1 0 100%;
    min-block-size: 33em;
    background: var(--pix-color-subtle);
    border-radius: var(--pix-radius);
  }
  .coming,
  .note {
    display: flex;
    align-items: center;
    justify-content: center;
    gap: 8px;
    font-size: 0.875em;
  }
  .outcome {
    display: grid;
    align-content: start;
    gap: 12px;
    margin-block-start: -8px;
  }
  .outcome:empty {
    display: none;
  }
  /* The border's width stays, because some inputs have only a line below. */
  [aria-invalid] {
    outline-color: var(--pix-color-error) !important;
    border-color: var(--pix-color-error);
  }
  /* Beside the label, so that nothing moves when the switch comes and goes. */
  .switch {
    position: absolute;
    inset: 0 0 auto auto;
    display: flex;
    align-items: center;
    gap: 0.5em;
    min-block-size: 44px;
    margin-block: -0.7em;
    font-weight: 400;
    color: var(--pix-color-muted);
    visibility: hidden;
    /* A tap on the switch first takes the focus from the field, so it stays visible for a moment. */
    transition: visibility 0s 0.5s;
  }
  /* The switch shows while the payer is at the field, when it can help. */
  .field:focus-within .switch {
    position: static;
    float: right;
    visibility: visible;
    transition: none;
  }
  /* Meanwhile the hint makes room for the switch. */
  @media (pointer: coarse) {
    .cpf_cnpj:focus-within .muted {
      display: none;
    }
  }
  .field:has(.waive :checked) > :is(input, .hint) {
    display: none;
  }
  .waive {
    display: flex;
    align-items: center;
    gap: 8px;
    min-block-size: 44px;
    font-weight: 400;
  }
  /* Each field keeps a line for its hint or fault. A sign stands beside the colour, for readers who do not see the colour. */
  .hint,
  .fault {
    display: flex;
    gap: 0.375em;
    margin-block-start: 6px;
    min-block-size: 1.125em;
    line-height: 1.125;
  }
  .hint .icon,
  .fault .icon {
    inline-size: 1.125em;
    block-size: 1.125em;
  }
  .fault,
  .error .icon,
  [part='error'] .sign {
    color: var(--pix-color-error);
  }
  .ask {
    color: inherit;
  }
  .outcome .fault {
    margin: 0 0 5px;
    font-weight: 600;
  }
  .error {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 4px 12px;
    inline-size: 100%;
    padding: 14px 16px;
    scroll-margin-block: 16px;
    text-align: start;
    border: 1px solid var(--pix-color-error);
    border-radius: var(--pix-radius);
  }
  .error .icon {
    margin-block-start: 0.125em;
  }
  .error p {
    grid-column: 2;
  }
  .error .secondary {
    grid-column: 1 / -1;
    margin-block-start: 8px;
  }
  /* A busy button without a ring waits for the connection. */
  [aria-busy='true'] :is(.error, .primary:not(:has(*))) {
    opacity: 0.7;
  }

  .columns,
  .sides,
  .exits,
  .trouble,
  form,
  figure {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: var(--pix-gap);
  }
  figcaption span {
    display: block;
  }
  figure,
  ol {
    gap: 8px;
    background: var(--pix-color-subtle);
    border-radius: var(--pix-radius);
  }
  figure {
    justify-items: center;
    padding: 0.75em;
  }
  .wide,
  .print,
  .paper {
    display: none;
  }
  .plate {
    inline-size: auto;
    /* Small, because it is for another device: a phone cannot scan itself. */
    max-inline-size: min(100%, 220px);
    block-size: auto;
    border-radius: 8px;
    color-scheme: only light;
    forced-color-adjust: none;
  }
  /* Two lines, as long as any status is on a phone, so that no status moves what stands below. */
  .status {
    display: flex;
    gap: 8px;
    min-block-size: 3em;
    margin-block-start: -8px;
  }
  .status .icon,
  .status .ring {
    margin-block-start: 0.125em;
  }
  .soon,
  .soon b,
  .head:has(.soon) .bar,
  .alarm .icon {
    color: var(--pix-color-error);
  }
  ol {
    display: grid;
    align-content: center;
    padding: 16px;
    counter-reset: step;
  }
  ol li {
    display: flex;
    gap: 0.75em;
    counter-increment: step;
  }
  /* A sign in a circle. */
  ol li::before {
    content: counter(step);
    inline-size: 1.75em;
    line-height: 1.75;
    block-size: 1.75em;
    background: var(--pix-color-surface);
    flex: none;
    font-size: 0.875em;
    font-weight: 600;
    text-align: center;
    border-radius: 50%;
  }
  .done {
    color: var(--pix-color-muted);
  }
  .done::before {
    content: '\2713';
    content: '\2713' / '';
  }
  .done + li {
    font-weight: 600;
  }
  .code {
    position: relative;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
  }
  .code:not(.whole, .blank) {
    margin-block-start: -12px;
  }
  /* A text box has no ellipsis, so the end of its line fades. */
  .code:not(.whole, .blank, :focus-within, :has(:checked))::after {
    content: '';
    position: absolute;
    inset: auto 0 0 auto;
    inline-size: 25%;
    block-size: var(--pix-control-height);
    background: linear-gradient(90deg, transparent, var(--pix-color-subtle) 75%);
    border-radius: var(--pix-radius);
    clip-path: inset(1px);
    pointer-events: none;
  }
  #whole:not(:checked) + label + label,
  #whole:checked + label {
    display: none;
  }
  .whole textarea {
    margin-block-start: 11px;
    border-color: var(--pix-color-mark);
  }
  textarea {
    flex: 1 0 100%;
    min-inline-size: 0;
    min-block-size: var(--pix-control-height);
    padding: 0.875em 1em;
    overflow: hidden;
    font-family: ui-monospace, monospace;
    font-size: 1em;
    white-space: nowrap;
    background: var(--pix-color-subtle);
    border-color: transparent;
    resize: none;
  }
  .whole textarea,
  #whole:checked ~ textarea {
    block-size: 12em;
    overflow: auto;
    white-space: pre-wrap;
    word-break: break-all;
  }
  @supports (field-sizing: content) {
    .whole textarea,
    #whole:checked ~ textarea {
      block-size: auto;
      max-block-size: 12em;
      field-sizing: content;
    }
  }
  .code.blank {
    min-block-size: calc(var(--pix-control-height) + 32px);
  }
  .blank {
    border-radius: var(--pix-radius);
    background: var(--pix-color-line);
    color-scheme: inherit;
  }
  .trouble p:empty {
    display: none;
  }
  /* Centred text has no last line with a single word. */
  figure,
  .trouble,
  .notice {
    text-wrap: balance;
    text-align: center;
  }
  .trouble {
    min-block-size: var(--pix-control-height);
  }
  /* The button and the two lines of its answer. */
  .exits {
    align-content: start;
    min-block-size: calc(var(--pix-control-height) + var(--pix-gap) - 8px + 2.625em);
  }
  .exits .hint {
    margin-block-start: -8px;
  }

  .notice {
    display: grid;
    flex: 1;
    align-content: center;
    grid-template-columns: minmax(0, 30em);
    justify-content: center;
    gap: 16px;
    justify-items: center;
    padding-block: 8px;
  }
  .notice h2 {
    margin: 0;
    font-size: min(1.75em, 8cqi);
    font-weight: 700;
    line-height: 1.25;
    letter-spacing: -0.02em;
  }
  /* What not to do while a payment is confirmed. */
  .notice p:has(+ .total) {
    font-weight: 600;
  }
  .notice .link {
    margin-block: -12px -4px;
  }
  .sign {
    display: grid;
    place-content: center;
    inline-size: 72px;
    block-size: 72px;
    background: var(--pix-color-subtle);
    border: 1px solid transparent;
    border-radius: 50%;
  }
  .sign .icon,
  .sign .ring {
    inline-size: 40px;
    block-size: 40px;
  }
  .sign .ring {
    border-width: 3px;
  }
  /* The page's own help, and links away from here. */
  .notice ::slotted(:is(a, div)) {
    inline-size: 100%;
  }
  ::slotted(a[slot='support']),
  ::slotted(a[slot='paid']) {
    display: grid;
    place-content: center;
    text-decoration: none;
  }
  /* The link back to the shop. */
  ::slotted(a[slot='paid']) {
    color: var(--pix-color-on-accent);
    background: var(--pix-color-accent);
    border-color: transparent;
  }
  dl,
  .notice .secondary {
    inline-size: 100%;
  }
  dl div {
    flex-wrap: wrap;
    padding-block: 0.5em;
    border-block-end: 1px solid var(--pix-color-line);
  }
  dd {
    margin-inline-start: auto;
    font-weight: 500;
    text-align: end;
    white-space: pre-line;
  }

  /* A card's number does not fit beside the name of its brand, which stands above. */
  @container (max-width: 22em) {
    /* The code, the refusal and the top of the button fit above a small phone's keyboard. */
    .error {
      padding: 10px 12px 8px;
      font-size: 0.875em;
      line-height: 1.25;
    }
    .error .secondary {
      margin: 4px 0 0;
    }
    #card_code-hint b {
      font-weight: 500;
    }
    dl div {
      display: block;
      text-align: start;
    }
    dd {
      text-align: inherit;
    }
    .mark {
      inset: -1.25em 0 auto auto;
      block-size: 1.25em;
    }
    .mark .icon {
      display: none;
    }
    .marked input {
      padding-inline-end: 0.75em;
    }
  }
  /* A drawing does not fit beside an amount. */
  @container (max-width: 288px) {
    .methods .icon,
    .line .icon {
      display: none;
    }
    .methods label > span {
      padding-inline: 12px 40px;
    }
    .line {
      padding-inline: 8px;
    }
    ul li {
      flex-wrap: wrap;
    }
  }
  /* A payer with a mouse has the phone in the other hand, so where there is room the QR comes first and copying second. */
  @media not all and (pointer: coarse) {
    /* Paper needs no switch for a keypad, but can keep a receipt. */
    .switch,
    .share {
      display: none;
    }
    .print {
      display: block;
    }
    /* Two columns only if they are wide enough for small type and for large type. */
    @container (min-width: 672px) and (min-width: 42rem) {
      .checkout {
        max-inline-size: var(--pix-max-width-wide);
        padding-block: 28px;
      }
      .sides {
        grid-template-columns: 17.5em minmax(0, 1fr);
        align-items: start;
        gap: var(--pix-gap) 3em;
      }
      /* Without the order's lines, a form is one column. */
      .form:not(:has(.summary)) > :is(.methods, .sides) {
        grid-template-columns: 1fr;
        inline-size: 35em;
        align-self: center;
      }
      .cpf_cnpj,
      .email {
        flex-basis: 15.5em;
      }
      /* Amount and order stay beside the button of a long form. */
      .head:has(> .summary) {
        position: sticky;
        inset-block-start: 24px;
      }
      /* With nothing to fill in, the button stands under the amount, and the order's lines beside both. */
      .sides:has(> .summary) {
        grid-template: auto 1fr / minmax(0, 1fr) 20em;
        & > .summary {
          grid-area: 1 / 2 / span 2;
          margin-block-start: -12px;
          border-block: 0;
        }
      }
      /* The space that pages keep free for a code: see LOOKS.md. */
      .awaiting,
      .creating {
        gap: 12px;
        min-block-size: 36em;
      }
      /* The code to scan beside the amount and the steps; below both, in one row, the code as text, the copy button, and "Já paguei". */
      .columns {
        flex: 1;
        grid-template: auto 1fr auto / fit-content(309px) minmax(0, 1fr) 13.5em;
        gap: 12px 20px;
      }
      .columns > * {
        grid-column: 2 / -1;
      }
      .columns > figure {
        grid-area: 1 / 1 / span 3;
        align-content: center;
      }
      .plate {
        max-inline-size: none;
      }
      figcaption,
      .columns .goods,
      ol {
        display: none;
      }
      /* As high as the room between amount and receiver, and as the longer of the steps, so that they change and nothing moves. */
      .wide {
        display: grid;
        min-block-size: 9.8em;
        padding-block: 8px;
      }
      .code:not(.whole, .blank) {
        margin: 0;
      }
      .code label {
        margin: -6px 0;
      }
      .columns > .error {
        grid-column: 1 / -1;
        order: 1;
      }
      .code {
        order: 2;
      }
      .code,
      .status {
        grid-column: 1 / 3;
      }
      .columns > .primary,
      .exits {
        grid-column: 3;
        align-self: end;
        min-block-size: var(--pix-control-height);
      }
      .columns > .primary {
        order: 3;
      }
      .status,
      .exits {
        order: 4;
        align-self: center;
        min-block-size: 0;
        margin: 0;
      }
      /* The code to scan comes first here. */
      .columns > .primary:not(.blank) {
        padding-inline: 0.5em;
        color: var(--pix-color-mark);
        background: none;
        border-color: currentcolor;
      }
      .columns > .summary,
      .trouble {
        grid-column: 1 / -1;
        order: 5;
      }
      .trouble .link {
        justify-self: center;
      }
    }
  }
  /* A phone scans the code from paper, where nothing can be pressed or copied. */
  @media print {
    button,
    .primary,
    .share,
    .print,
    ol,
    .status,
    .link,
    .deadline,
    .bar,
    figcaption,
    .code::after,
    .exits,
    .trouble,
    .line,
    .summary:not([open]),
    ::slotted(a[slot]) {
      display: none;
    }
    .paper {
      display: block;
    }
    .checkout {
      min-block-size: 0 !important;
      max-inline-size: none;
      border: 0;
      box-shadow: none;
    }
    .code {
      grid-column: 1 / -1;
    }
    textarea {
      block-size: 9em;
      white-space: pre-wrap;
    }
    @supports (field-sizing: content) {
      textarea {
        block-size: auto;
        field-sizing: content;
      }
    }
  }
  @media (hover: hover) {
    button:hover {
      filter: brightness(1.1);
    }
  }

  @media (prefers-reduced-motion: no-preference) {
    .bar rect {
      transition: width 1s linear;
    }
    .blank {
      animation: breathe 2s ease-in-out infinite alternate;
    }
    .ring {
      animation: turn 1s linear infinite;
    }
    /* The only motion of a new phase: its screen appears, and a check mark draws itself. */
    .new,
    .wide:has(.done) {
      animation: appear 250ms ease-out;
    }
    .sign.paid path {
      stroke-dasharray: 24;
      animation: draw 250ms ease-out;
    }
    @keyframes appear {
      from {
        opacity: 0;
      }
    }
    @keyframes draw {
      from {
        stroke-dashoffset: 24;
      }
    }
    @keyframes turn {
      to {
        transform: rotate(1turn);
      }
    }
    @keyframes breathe {
      to {
        opacity: 0.4;
      }
    }
  }
`;

export const styles = unsafeCSS(declareColors(':host', 'pix-color-', colors) + sizes + sheet);
