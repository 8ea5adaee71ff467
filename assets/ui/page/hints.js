// Hints: which facts are around, where they apply, and which one wins here.
import { h } from '../view.js';
import { chip, code, nothing, pane, panel, said, table } from '../part.js';
import { amend, project, route, use } from '../state.js';
import { answerFromFile, mode } from '../door.js';
import { pageKeys } from '../keys.js';
import { ago, count, plural } from '../words.js';
import { dayMonth, now, span } from '../time.js';

export function hintsPage() {
  const { cwd, branch, os } = route.value.params;
  const answer = use('hints', { project: project(), cwd, branch, os });
  pageKeys({}, () => 'nudge hint ls');
  return panel({ title: 'Hints', level: 'h1', note: answer.data ? plural(answer.data.hints.length, 'hint') : '', class: 'full', pane: 'hints' }, mode.value === 'report' ? null : placeForm(), pane(answer, 'hints', hintsBody));
}

// The place that the order follows: folder, branch, system.
function placeForm() {
  const { cwd = '', branch = '', os = '' } = route.value.params;
  const send = (event) => {
    event.preventDefault();
    const form = event.target.elements;
    amend({ cwd: form.cwd.value || undefined, branch: form.branch.value || undefined, os: form.os.value || undefined });
  };
  const input = (name, label, value, hint) => h('label', { class: 'place-field' }, h('span', {}, label), h('input', { name, value, placeholder: hint, spellcheck: 'false', autocomplete: 'off' }));
  return h('form', { class: 'place', onsubmit: send }, input('cwd', 'Folder', cwd, project() || 'any'), input('branch', 'Branch', branch, 'any'), input('os', 'System', os, 'this one'), h('button', { class: 'button' }, 'Order for this place'));
}

function hintsBody(data) {
  if (mode.value === 'report' && data.hints.length === 0) return nothing('A report has no hints.', 'The running server knows them: ', h('code', {}, 'nudge ui'), '.');
  if (data.server === false && data.hints.length === 0) return nothing('No hint server runs.', 'An agent starts one, and so does ', h('code', {}, 'nudge serve'), '.');
  if (data.hints.length === 0) return nothing('There are no hints yet.', 'Agents leave them with a tool, you with ', h('code', {}, 'nudge hint set'), '.');
  const best = new Set();
  const rows = data.hints.map((hint) => {
    const name = `${hint.component}/${hint.key}`;
    const loses = hint.loses ?? best.has(name);
    best.add(name);
    return hintRow(hint, loses);
  });
  return h('div', { class: 'table-scroll', 'data-rows': 'hints' }, table('hints-table', [['Hint'], ['Value'], ['Applies', 'hide-narrow'], ['Score', 'right'], ['Uses', 'right hide-narrow'], ['Age', 'right hide-narrow'], ['Ends', 'right hide-narrow']], rows));
}

function hintRow(hint, loses) {
  const reasons = Array.isArray(hint.reasons) ? hint.reasons.join(', ') : hint.reasons;
  const scope = hint.scope && typeof hint.scope === 'object' ? Object.entries(hint.scope).filter(([, value]) => value).map(([name, value]) => `${name} ${value}`).join(', ') || 'everywhere' : hint.scope || 'everywhere';
  return h(
    'tr',
    { key: `${hint.component}/${hint.key}/${scope}`, class: loses ? 'row-off' : '' },
    h('td', {}, h('span', { class: 'hint-name', tabindex: '-1', 'data-row': hint.key }, code(`${hint.component}/`, 'quiet-text'), code(hint.key, 'strong'))),
    h('td', {}, hint.secret ? chip('[secret]') : code(hint.value)),
    h('td', { class: 'hide-narrow' }, said(scope), loses ? h('span', { class: 'told-why' }, 'another one applies more closely here') : null),
    h('td', { class: 'right num' }, h('span', { title: reasons || undefined }, hint.score === undefined || hint.score === null ? '—' : hint.score.toFixed(2)), reasons ? h('span', { class: 'told-why' }, said(reasons)) : null),
    h('td', { class: 'right num quiet-text hide-narrow' }, count(hint.uses || 0)),
    h('td', { class: 'right num quiet-text hide-narrow' }, hint.age_ms === undefined ? '—' : ago(now() - hint.age_ms)),
    h('td', { class: 'right num quiet-text hide-narrow' }, hint.until_ms ? (hint.until_ms - now() < 86400000 ? `in ${span(hint.until_ms - now())}` : dayMonth(hint.until_ms)) : 'never'),
  );
}

answerFromFile('hints', () => ({ hints: [], server: false }));
