// Replays: rules are tried on the calls of the past, one replay at a time, and the page follows how far it is.
import { h, signal } from './view.js';
import { ask, mode } from './door.js';
import { project, refresh } from './state.js';
import { said } from './part.js';

const REPLAY_DAYS = 90;

// How far the replay is that this page began or heard of: {rule, done, of, error}; `null` if none runs.
const replaying = signal(null);

export function takeReplay(progress) {
  if (progress.ended) {
    replaying.value = progress.error ? { ...replaying.peek(), ended: true, error: progress.error } : null;
    refresh(['rules', 'rule/']);
  } else {
    replaying.value = { ...replaying.peek(), ended: false, error: '', done: progress.done, of: progress.of };
  }
}

async function beginReplay(rule) {
  replaying.value = { rule, done: 0, of: 0, error: '' };
  try {
    await ask('replay', null, { body: { rule: rule || undefined, days: REPLAY_DAYS, project: project() || undefined } });
  } catch (error) {
    replaying.value = { rule, ended: true, error: error.hint ? `${error.message}: ${error.hint}` : error.message };
  }
}

function stopReplay() {
  ask('replay', null, { body: { cancel: true } }).catch(() => {});
}

const replayShare = ({ done, of }) => (of > 0 ? ` ${Math.min(99, Math.floor((100 * done) / of))} %` : '');

// A button that begins a replay of a rule, or of all; while one runs, how far it is.
export function replayButton(rule, name) {
  if (mode.value !== 'live') return h('p', { class: 'quiet-text' }, 'A replay needs the server: ', h('code', {}, 'nudge ui'), '.');
  const now = replaying.value;
  if (now && !now.ended) return h('p', { class: 'replay-run', role: 'status' }, h('span', { class: 'quiet-text num' }, `Replaying…${replayShare(now)}`), h('button', { class: 'button', type: 'button', onclick: stopReplay }, 'Stop'));
  const failed = now?.error && (now.rule || '') === (rule || '');
  return h('p', { class: 'replay-run' }, h('button', { class: 'button', type: 'button', onclick: () => beginReplay(rule) }, name), failed ? h('span', { class: 'tone-fail', role: 'alert' }, said(now.error)) : null);
}
