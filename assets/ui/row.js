// One row of what happened: its glyph, its words, and rows that are folded into one.
import { h } from './view.js';
import { glyph } from './glyph.js';
import { code, said } from './part.js';
import { count, hookWords, plural, tokensOf } from './words.js';

const GLYPHS = { read: 'read', search: 'read', edit: 'edit', write: 'edit', command: 'command', prompt: 'prompt', failed: 'failed', fixed: 'fixed', blocked: 'blocked', block: 'blocked', ask: 'blocked', told: 'told', commit: 'commit', lost: 'warning', stop: 'live', outcome: 'live', note: 'bookmark', rule: 'barrier', hint: 'tag', task: 'nodes' };

export const kindGlyph = (kind) => glyph(Object.hasOwn(GLYPHS, kind) ? GLYPHS[kind] : 'read', `kind-${Object.hasOwn(GLYPHS, kind) ? kind : 'read'}`);

export const isBlock = (row) => ['blocked', 'block', 'ask'].includes(row.kind);

const QUIET = ['read', 'search'];
const TONES = { failed: 'tone-fail', fixed: '', blocked: 'tone-block', block: 'tone-block', ask: 'tone-block', told: 'tone-told' };

// Neighbouring quiet rows of one session become one row that knows how many they are.
export function foldRows(rows) {
  const out = [];
  for (const row of rows) {
    const last = out.at(-1);
    const fits = last && QUIET.includes(row.kind) && last.kind === row.kind && last.session === row.session && !row.told && !last.told;
    if (fits) out[out.length - 1] = { ...last, n: last.n + 1, first_ms: row.at_ms };
    else out.push({ ...row, n: 1 });
  }
  return out;
}

// A call is one row: that it was asked for is left out where its end is the row above.
export function joinCalls(rows) {
  const ends = (later, row) => later && row.hook === 'PreToolUse' && /^PostToolUse/.test(later.hook) && later.session === row.session && later.tool === row.tool && later.target === row.target;
  const isQuiet = (row) => !row.told && !row.rule;
  return rows.filter((row, index) => !(isQuiet(row) && rows.slice(Math.max(0, index - 4), index).some((later) => ends(later, row))));
}

// What a row says: the target in its tone, with the rule before it.
export function rowWords(row) {
  if (row.n > 1) return h('span', { class: 'quiet-text' }, row.kind === 'search' ? plural(row.n, 'search', 'searches') : plural(row.n, 'file'));
  if (row.kind === 'lost') return h('span', { class: 'tone-fail' }, 'Events were lost here');
  const tone = TONES[row.kind] ?? '';
  const target = row.target || row.tool;
  if (!target) return h('span', { class: `row-words ${tone || 'quiet-text'}` }, row.rule && isBlock(row) ? [said(row.rule, 'strong'), ' '] : null, hookWords(row.hook));
  return h('span', { class: `row-words ${tone}` }, row.rule && isBlock(row) ? [said(row.rule, 'strong'), ' '] : null, row.kind === 'prompt' ? said(target) : code(target));
}

export const toldTokens = (row) => (row.told ? `about ${count(tokensOf(row.told))}` : '');

export const millis = (us) => (us >= 100000 ? `${Math.round(us / 1000)} ms` : us >= 9950 ? `${Math.round(us / 1000)} ms` : `${(us / 1000).toFixed(1)} ms`);
