/**
 * The looks of the payment page around the element, in the element's own colours and sizes. Served as a file, because the
 * page's policy allows no style inside it. For old browsers it computes the colour of text on the accent.
 */

/** @param accent as `#rgb` or `#rrggbb`; null: the element's own */
export function toPaymentStyles(accent: string | null): string {
  return accent === null ? styles : styles + toAccentRules(accent);
}

/** A style sheet of the merchant comes later, and wins. */
function toAccentRules(accent: string): string {
  const onAccent = toTextColor(accent);
  return `:root{--accent:${accent};--on-accent:${onAccent}}pix-checkout{--pix-color-accent:${accent};--pix-color-on-accent:${onAccent}}`;
}

/** Black or white, whichever has the higher contrast (WCAG 2.2, relative luminance). */
function toTextColor(accent: string): string {
  const digits = accent.length === 4 ? accent.replace(/[^#]/g, '$&$&') : accent;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000' : '#fff';
}

const styles = `
:root{color-scheme:light dark;--accent:#0b6b5b;--on-accent:#fff;--text:#14211e;--muted:#485652;--surface:#fff;--ground:#f2f6f5;--line:#dfe7e4;--border:#7c8d87}
@media(prefers-color-scheme:dark){:root{--accent:#45cdb0;--on-accent:#04231d;--text:#e9f1ee;--muted:#a3b5af;--surface:#121b19;--ground:#0a1110;--line:#2c3b37;--border:#748881}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-block-size:100vh;padding:max(16px,env(safe-area-inset-top)) max(12px,env(safe-area-inset-right)) max(32px,env(safe-area-inset-bottom)) max(12px,env(safe-area-inset-left));background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
.shop{display:flex;align-items:center;justify-content:center;gap:12px;min-block-size:48px;margin-block-end:16px}
.shop h1{margin:0;font-size:1.125rem;font-weight:600;line-height:1.25;text-wrap:balance}
.shop img,.mark{flex:none;inline-size:44px;block-size:44px;border-radius:12px}
.shop img{inline-size:auto;max-inline-size:9em;object-fit:contain;background:#fff}
.mark{display:grid;place-content:center;background:var(--accent);color:var(--on-accent);font-size:1.25rem;font-weight:600}
.card{max-inline-size:30em;margin:0 auto;padding:clamp(24px,6vw,40px) clamp(16px,5vw,32px);border:1px solid var(--line);border-radius:24px;background:var(--surface);box-shadow:0 1px 2px #0000000f,0 16px 40px -20px #00000029;text-align:center}
.card[hidden]{display:none}
.card h2{margin:0 0 8px;font-size:min(1.75rem,8vw);line-height:1.25;letter-spacing:-.02em;text-wrap:balance}
.card p{margin:0;color:var(--muted);text-wrap:balance}
.card svg{display:block;inline-size:72px;block-size:72px;margin:0 auto 16px;padding:16px;border-radius:50%;background:var(--ground);fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.card.done svg{background:var(--accent);color:var(--on-accent)}
.opening{display:grid;align-content:center;min-block-size:18em}
.opening p:first-child::before{content:"";display:block;inline-size:24px;block-size:24px;margin:0 auto 16px;border:2px solid var(--border);border-block-start-color:var(--accent);border-radius:50%;animation:turn 1s linear infinite}
.opening .slow{margin-block-start:16px;visibility:hidden;opacity:0;animation:late 1s 8s forwards}
@keyframes turn{to{transform:rotate(1turn)}}
@keyframes late{to{visibility:visible;opacity:1}}
@media(prefers-reduced-motion:reduce){.opening p:first-child::before{animation:none}}
button{font:inherit;font-weight:600;inline-size:100%;min-block-size:54px;margin-block-start:24px;padding:8px 16px;border:1px solid transparent;border-radius:12px;background:var(--accent);color:var(--on-accent);cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.card .contact{margin-block-start:16px}
.card .way{display:grid;place-content:center;min-block-size:48px;margin-block-start:8px;padding:8px 16px;border:1px solid var(--border);border-radius:12px;color:inherit;font-weight:600;text-align:center;text-decoration:none}
.card p+.way{margin-block-start:24px}
pix-checkout:not(:state(expired),:state(failed)) [data-ended]{display:none}
@media(scripting:none){.opening{display:none}}
@media(min-width:672px){body{padding-block-start:40px}.shop{margin-block-end:24px}.shop h1{font-size:1.25rem}}
`;
