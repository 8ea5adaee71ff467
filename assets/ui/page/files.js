// Files: where the work and the trouble gather.
import { h } from '../view.js';
import { glyph } from '../glyph.js';
import { bars, choices, code, linkTo, nothingIn, pane, panel, pathText, said, split, table, tile, tiles, timeText } from '../part.js';
import { answerFromFile, segment } from '../door.js';
import { amend, common, go, link, range, route, use } from '../state.js';
import { pageKeys } from '../keys.js';
import { command, copyButton } from '../copy.js';
import { ago, count, plural, rangeHead, rangeTail } from '../words.js';
import { isNarrow } from '../screen.js';

const filePath = (path) => `/file?path=${segment(path)}`;

export function filesPage() {
  const answer = use('files', common());
  const { path, by } = route.value.params;
  const list = answer.data?.rows || [];
  const chosen = path || (isNarrow() ? '' : list[0]?.path) || '';
  pageKeys({ Escape: path ? () => history.back() : undefined }, () => (chosen ? command('nudge', 'search', chosen) : ''));
  const side = choices('Show', [['', 'Files'], ['folder', 'Folders']], by || '', (value) => amend({ by: value || undefined }));
  const left = panel({ title: 'Files', level: 'h1', note: answer.data ? `${plural(list.length, 'file')} touched${rangeTail(range())}` : '', side, class: 'full', pane: 'files' }, pane(answer, 'files', (data) => filesBody(data, by, chosen)));
  return split(left, chosen ? fileDetail(chosen) : null, { narrow: isNarrow(), chosen: Boolean(path), back: '/files', name: 'Files', class: 'split-rules' });
}

function filesBody(data, by, chosen) {
  if (data.rows.length === 0) return nothingIn('No file was changed');
  const rows = by === 'folder' ? folders(data.rows) : data.rows;
  const heads = [[by === 'folder' ? 'Folder' : 'File'], [rangeHead(range()), 'hide-narrow'], ['Edits', 'right'], ['Sessions', 'right hide-narrow'], ['Failed', 'right'], ['Last', 'right']];
  return [h('div', { class: 'table-scroll', 'data-rows': 'files' }, table('files-table', heads, rows.map((row) => fileRow(row, chosen, by === 'folder')))), data.is_part ? h('p', { class: 'list-note' }, 'Only the latest part of the range was read; a shorter range shows all of it.') : null];
}

// Sums of the folders, each with everything below it.
function folders(rows) {
  const sums = new Map();
  for (const row of rows) {
    const parts = row.path.split('/').slice(0, -1);
    for (let depth = 0; depth <= parts.length; depth += 1) {
      const path = parts.slice(0, depth).join('/') || '.';
      const sum = sums.get(path) || { path, edits: 0, sessions: 0, agents: [], failed: 0, last_ms: 0, bars: [] };
      sum.edits += row.edits;
      sum.failed += row.failed || 0;
      sum.sessions = Math.max(sum.sessions, row.sessions || 0);
      sum.agents = [...new Set([...sum.agents, ...(row.agents || [])])];
      sum.last_ms = Math.max(sum.last_ms, row.last_ms || 0);
      sum.bars = (row.bars || []).map((n, i) => n + (sum.bars[i] || 0));
      sums.set(path, sum);
    }
  }
  return [...sums.values()].sort((a, b) => a.path.localeCompare(b.path));
}

function fileRow(row, chosen, folder) {
  const here = !folder && row.path === chosen;
  const depth = folder && row.path !== '.' ? row.path.split('/').length : 0;
  const name = folder ? h('span', { class: 'path-link', style: { 'padding-left': `${depth * 14}px` } }, code(row.path === '.' ? 'the whole project' : `${row.path.split('/').pop()}/`)) : h('a', { class: 'plain path-link', href: link(filePath(row.path)), 'data-row': row.path, 'aria-current': here ? 'true' : undefined }, pathText(row.path));
  return h('tr', { key: row.path, class: `${folder ? '' : 'row-link'} ${here ? 'row-here' : ''}`, onclick: folder ? undefined : () => go(filePath(row.path)) }, h('td', {}, h('span', { class: 'file-cell' }, name, tiles(row.agents))), h('td', { class: 'hide-narrow' }, bars(row.bars, 'quiet')), h('td', { class: 'right num' }, h('strong', {}, count(row.edits))), h('td', { class: 'right num quiet-text hide-narrow' }, folder ? '' : count(row.sessions)), h('td', { class: 'right num' }, row.failed ? h('span', { class: 'cell tone-fail' }, glyph('failed'), count(row.failed)) : h('span', { class: 'quiet-text' }, '–')), h('td', { class: 'right num quiet-text' }, ago(row.last_ms)));
}

function fileDetail(path) {
  const answer = use('file', { ...common(), path });
  return panel({ class: 'full detail', pane: 'file', label: 'The chosen file' }, h('div', { class: 'detail-part' }, h('h2', { class: 'detail-title' }, code(path)), h('p', { class: 'detail-actions' }, copyButton(command('nudge', 'search', path)))), pane(answer, 'file', fileBody));
}

function fileBody(data) {
  const list = data.sessions || [];
  const names = [...(data.rules || []).map((name) => ['barrier', `/rule/${segment(name)}`, name]), ...(data.notes || []).map((name) => ['bookmark', `/note/${segment(name)}`, name])];
  return [
    h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Sessions that touched it'), list.length === 0 ? h('p', { class: 'quiet-text' }, 'None in this range.') : h('ul', { class: 'firings', 'data-rows': 'file' }, list.map((one) => h('li', { class: 'file-session', key: one.id }, timeText(one.at_ms ?? one.last_ms ?? one.from_ms), tile(one.agent), linkTo(`/session/${segment(one.id)}`, one.obs ? { o: one.obs } : {}, 'plain', said(one.title || 'no prompt')), h('span', { class: 'quiet-text num' }, plural(one.edits, 'edit')))))),
    names.length > 0 ? h('div', { class: 'detail-part' }, h('h3', { class: 'panel-title' }, 'Rules and notes that name it'), h('ul', { class: 'name-list' }, names.map(([mark, path, name]) => h('li', { key: path }, glyph(mark), ' ', linkTo(path, {}, 'plain', said(name)))))) : null,
  ];
}

// In a report, the sessions in it know which files they edited.
answerFromFile('file', (answers, params) => {
  const stories = Object.entries(answers).filter(([name]) => name.startsWith('session/')).map(([, one]) => one);
  const touched = stories.flatMap((story) => (story.files || []).filter((file) => file.path === params.path).map((file) => ({ id: story.session.id, agent: story.session.agent, title: story.session.title, at_ms: story.session.to_ms, edits: file.edits })));
  return { sessions: touched.sort((a, b) => b.at_ms - a.at_ms), rules: [], notes: [] };
});
