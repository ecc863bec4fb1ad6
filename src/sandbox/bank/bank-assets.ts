/** The style sheet and the script of the bank's page, as text: the sandbox has no files of its own to serve. */

export const bankStyles = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2430, #e9eef6); --soft: light-dark(#5a6678, #9aa8bd);
  --page: light-dark(#f4f6f9, #10151d); --card: light-dark(#fff, #19202b);
  --rule: light-dark(#dfe4ec, #2b3544); --accent: light-dark(#0b6b4f, #6fd3ac);
  font: 400 100%/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
}
* { box-sizing: border-box; }
body { margin: 0; }
main { max-width: 44rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.5rem; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 1rem; margin: 0 0 0.75rem; }
header p, .about, .empty { color: var(--soft); margin: 0.25rem 0 0; overflow-wrap: anywhere; }
ol { list-style: none; margin: 1.5rem 0; padding: 0; display: grid; gap: 0.75rem; }
ol li, section { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; padding: 1rem 1.25rem; }
ol p { margin: 0; }
strong { font-size: 1.25rem; font-variant-numeric: tabular-nums; margin-right: 0.5rem; }
.status { border: 1px solid var(--rule); border-radius: 99px; padding: 0.125rem 0.625rem; font-size: 0.875rem; vertical-align: 2px; }
.paid { color: var(--accent); border-color: currentColor; }
.empty { padding: 3rem 0; text-align: center; }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 0.75rem; }
section form { margin-top: 0; }
button, select { font: inherit; min-height: 44px; padding: 0 0.75rem; border: 1px solid var(--rule); border-radius: 8px; color: inherit; background: transparent; }
button:first-of-type:not(:disabled) { border-color: var(--accent); color: var(--accent); font-weight: 600; }
button:disabled { opacity: 0.45; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
select { max-width: 100%; }
`;

/** Draws the page anew when something has changed, and keeps the focus where it is. Not while a list is open. */
export const bankScript = `setInterval(async () => {
  const now = document.querySelector('main');
  const focused = document.activeElement;
  if (focused?.tagName === 'SELECT' || document.hidden) return;
  const answer = await fetch('/sandbox/').catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('main');
  if (next.innerHTML === now.innerHTML) return;
  const chosen = document.querySelector('select').value;
  now.replaceWith(next);
  next.querySelector('select').value = chosen;
  if (focused?.id) document.getElementById(focused.id)?.focus();
}, 1000);
`;
