/** The element's colours, which the payment page has around it, too. */

/** Each colour once: on light, on dark. Against surface and subtle text holds 7:1, accent and error 4.5:1, borders 3:1. */
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

/** Declares custom properties for colours: each as `pick` makes it of its two. */
export function declareColors(
  prefix: string,
  pairs: Readonly<Record<string, readonly [light: string, dark: string]>>,
  pick: (light: string, dark: string) => string,
): string {
  return Object.entries(pairs)
    .map(([name, pair]) => `--${prefix}${name}:${pick(...pair)};`)
    .join('');
}
