// Copying: exactly the shown text goes to the clipboard, and commands quote their arguments for a shell.
import { h, signal } from './view.js';
import { glyph } from './glyph.js';

export const notice = signal(null);
let timer = 0;

// Says a short sentence at the foot of the page, for everyone.
export function announce(text, action) {
  notice.value = { text, action };
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = null;
  }, action ? 8000 : 2500);
}

// As the CLI quotes: words of plain characters stay, everything else is between single quotes.
function quote(word) {
  const text = String(word);
  if (text !== '' && /^[A-Za-z0-9_\-./:@%+,=]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export function command(...words) {
  return words.map(quote).join(' ');
}

const HIDDEN = /[\u2400-\u243f\ufffd]/;

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce(HIDDEN.test(text) ? 'Copied as shown. Control characters in it are visible signs.' : 'Copied.');
  } catch {
    announce(`This browser did not allow copying. The text: ${text}`);
  }
}

export function copyButton(text, label, classes) {
  return h('button', { class: `button ${classes || ''}`, 'data-copy': text, title: `Copy: ${text}`, onclick: () => copy(text) }, glyph('copy'), label || text);
}

// What is new, for those who cannot see it: at most one sentence in ten seconds.
export const news = signal('');
const NEWS_MS = 10000;
let newsTimer = 0;

export function announceNews(say) {
  if (newsTimer) return;
  newsTimer = setTimeout(() => {
    newsTimer = 0;
    news.value = say();
  }, NEWS_MS);
}
