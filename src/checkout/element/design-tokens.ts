/** The element's colours and sizes. Our own pages use them, too: the payment page, the sandbox's bank page, the demo. */

/**
 * Each colour, for light and for dark. Text keeps a contrast of 7:1 to the surface and to subtle areas, accent and error
 * 4.5:1, borders 3:1.
 */
export const colors = {
  accent: ['#0b6b5b', '#45cdb0'],
  'on-accent': ['#fff', '#04231d'],
  text: ['#14211e', '#e9f1ee'],
  muted: ['#485652', '#a3b5af'],
  surface: ['#fff', '#121b19'],
  subtle: ['#f2f6f5', '#1b2725'],
  line: ['#dfe7e4', '#2c3b37'],
  border: ['#7c8d87', '#748881'],
  error: ['#b3261e', '#ff9d93'],
} as const;

/**
 * Editors highlight texts with this tag, and the build minifies them. Lit's own tag would add code that checks the values.
 */
export const css = String.raw;

/**
 * The element's sizes. The padding follows the window's width; the styles make it follow the element's own in browsers with
 * container queries.
 */
export const sizes = css`
  :host {
    --pix-font: system-ui, sans-serif;
    --pix-font-size: 1rem;
    --pix-amount-size: 2.5em;
    --pix-border-width: 1px;
    --pix-control-height: max(48px, 2.75em);
    --pix-focus-ring: 3px solid var(--pix-color-mark);
    --pix-gap: 1.25em;
    --pix-max-width: 30em;
    --pix-max-width-wide: 52em;
    --pix-radius: 12px;
    --pix-padding: clamp(16px, 5vw, 32px);
    --pix-shadow: 0 1px 2px #0000000f, 0 16px 40px -20px #00000029;
  }
`;

/**
 * Declares custom properties for colours. Only `light-dark()` follows the page's color-scheme, so browsers without it stay
 * light.
 */
export function declareColors(
  selector: string,
  prefix: string,
  pairs: Readonly<Record<string, readonly [light: string, dark: string]>>,
): string {
  const declare = (pick: (light: string, dark: string) => string) => {
    const colors = Object.entries(pairs).map(
      ([name, pair]) => `--${prefix}${name}:${pick(...pair)};`,
    );
    return `${selector}{${colors.join('')}}`;
  };
  const both = declare((light, dark) => `light-dark(${light},${dark})`);
  return `${declare((light) => light)}@supports (color:light-dark(red,red)){${both}}`;
}

/** The colour behind the element's box, for light and for dark. */
export const ground = ['#f2f6f5', '#0a1110'] as const;

/** Declares the tokens for our own pages: the colours by their short names, the sizes, and the type scale. */
export function toPageTokens(): string {
  return `${sizes.replace(':host', ':root')}
:root{color-scheme:light dark;--pix-color-mark:var(--accent);--title:min(1.75rem,8vw);--heading:1rem;--small:.875rem}
${declareColors(':root', '', { ...colors, ground })}
`;
}

/** Makes the styles of a line that opens what is below it, with its arrow, for our own pages. */
export function toFoldStyles(): string {
  return css`
    summary {
      display: flex;
      align-items: center;
      min-block-size: var(--pix-control-height);
      font-weight: 600;
      list-style: none;
      cursor: pointer;
    }
    summary::-webkit-details-marker {
      display: none;
    }
    summary::after {
      content: '';
      flex: none;
      inline-size: 0.5em;
      block-size: 0.5em;
      margin-inline: auto 4px;
      border: solid var(--muted);
      border-width: 0 2px 2px 0;
      transform: translateY(-25%) rotate(45deg);
    }
    [open] > summary::after {
      transform: translateY(25%) rotate(225deg);
    }
  `;
}
