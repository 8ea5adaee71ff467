// Notes: what this project has written down, and whether it is read.
import { h } from '../view.js';
import { chip, code, nothing, pane, panel, said, split, table } from '../part.js';
import { segment } from '../door.js';
import { go, link, needsProject, project, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { command, copyButton } from '../copy.js';
import { ago, bytes, count, plural } from '../words.js';
import { isNarrow } from '../screen.js';

const notePath = (name) => `/note/${segment(name)}`;

export function notesPage(name) {
  const answer = use('notes', { project: project() });
  const rows = answer.data?.rows || [];
  const chosen = name || (isNarrow() ? '' : rows[0]?.name) || '';
  pageKeys({ Escape: name ? () => history.back() : undefined }, () => (chosen ? command('nudge', 'note', 'show', chosen) : 'nudge note list'));
  const list = panel({ title: 'Notes', level: 'h1', note: rows.length > 0 ? `${plural(rows.length, 'file')} in .nexus/memory` : '', class: 'full', pane: 'notes' }, pane(answer, 'notes', (data) => notesBody(data, chosen)));
  return split(list, chosen ? noteDetail(chosen) : null, { narrow: isNarrow(), chosen: Boolean(name), back: '/notes', name: 'Notes', class: 'split-notes' });
}

function notesBody(data, chosen) {
  if (data.rows.length === 0) return nothing('Nothing has been written down yet.', needsProject() ? 'Notes belong to a project: choose one on top.' : 'Agents write notes into .nexus/memory.');
  return h('div', { class: 'table-scroll', 'data-rows': 'notes' }, table('notes-table', [['Note'], ['Size', 'right hide-narrow'], ['Reads', 'right'], ['Last read', 'right']], data.rows.map((row) => noteRow(row, chosen))));
}

function noteRow(row, chosen) {
  const here = row.name === chosen;
  return h('tr', { key: row.name, class: `row-link ${here ? 'row-here' : ''}`, onclick: () => go(notePath(row.name)) }, h('td', {}, h('span', { class: 'rule-words' }, h('span', { class: 'note-name' }, h('a', { class: 'plain strong', href: link(notePath(row.name)), 'data-row': row.name, 'aria-current': here ? 'true' : undefined }, said(row.name)), row.category ? chip(said(row.category)) : null, row.advice && row.advice !== 'keep' ? chip(said(row.advice), 'block') : null), h('span', { class: 'rule-where' }, said(row.first || ''), row.reason ? [' · ', said(row.reason)] : null))), h('td', { class: 'right num quiet-text hide-narrow' }, bytes(row.bytes)), h('td', { class: 'right num' }, count(row.reads || 0)), h('td', { class: 'right num quiet-text' }, ago(row.last_ms)));
}

function noteDetail(name) {
  const answer = use(`note/${segment(name)}`, { project: project() }, 'note');
  return panel({ class: 'full detail', pane: 'note', label: 'The chosen note' }, h('div', { class: 'detail-part' }, h('h2', { class: 'detail-title' }, said(name), h('span', { class: 'grow' }), copyButton(command('nudge', 'note', 'show', name), 'Copy the command'))), pane(answer, 'note', (data) => h('div', { class: 'detail-part prose' }, prose(data.text || ''), data.cut ? h('p', { class: 'quiet-text' }, 'Shortened here; the command shows all of it.') : null)));
}

// Text with headings, lists, emphasis and code, as nodes of our own. Links stay text.
export function prose(text) {
  const out = [];
  let list = null;
  let fence = null;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('```')) {
      if (fence) out.push(h('pre', { class: 'box box-plain', dir: 'auto', tabindex: '0' }, fence.join('\n')));
      fence = fence ? null : [];
      list = null;
      continue;
    }
    if (fence) {
      fence.push(line);
      continue;
    }
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const entry = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (entry) {
      if (!list) out.push((list = { items: [] }));
      list.items.push(entry[1]);
      continue;
    }
    list = null;
    if (heading) out.push(h(heading[1].length === 1 ? 'h3' : 'h4', { dir: 'auto' }, inline(heading[2])));
    else if (line.trim()) out.push(h('p', { dir: 'auto' }, inline(line)));
  }
  if (fence) out.push(h('pre', { class: 'box box-plain', dir: 'auto', tabindex: '0' }, fence.join('\n')));
  return out.map((one) => (one.items ? h('ul', { class: 'prose-list' }, one.items.map((item) => h('li', { dir: 'auto' }, inline(item)))) : one));
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|_([^_]+)_/g;

function inline(text) {
  const out = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    out.push(text.slice(at, found.index));
    if (found[1]) out.push(code(found[1]));
    else if (found[2]) out.push(h('strong', {}, found[2]));
    else out.push(h('em', {}, found[3] || found[4]));
    at = found.index + found[0].length;
  }
  out.push(text.slice(at));
  return out;
}
