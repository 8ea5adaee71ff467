// What a page may change if it was opened for that: pins, rules, and what is forgotten.
import { h, signal } from './view.js';
import { glyph } from './glyph.js';
import { ask, scope } from './door.js';
import { project, refresh } from './state.js';
import { announce, command, copyButton } from './copy.js';
import { said } from './part.js';
import { plural } from './words.js';

// Long enough to read what would be gone.
const FORGET_WAIT_MS = 2000;

const forgetting = signal(null);

const act = (action, body) => ask('act', null, { body: { action, request_id: crypto.randomUUID(), ...body } });

// Does it, says so, and offers the way back.
async function changeBy(action, back, body, words, paths) {
  try {
    await act(action, body);
    refresh(paths);
    announce(words, back ? { name: 'Undo', run: () => changeBy(back, null, body, 'Undone.', paths) } : undefined);
  } catch (error) {
    announce(error.message);
  }
}

// In a page that only reads, the command is copied.
export function pinButton(obs) {
  const action = obs.pinned ? 'unpin' : 'pin';
  if (scope.value !== 'edit') return copyButton(command('nudge', action, obs.id));
  return h('button', { class: 'button', onclick: () => changeBy(action, obs.pinned ? 'pin' : 'unpin', { ids: [obs.id] }, obs.pinned ? 'Unpinned.' : 'Pinned.', ['observation/', 'session/']) }, glyph('bookmark'), obs.pinned ? 'Unpin' : 'Pin');
}

export function ruleSwitch(rule) {
  const verb = rule.enabled ? 'disable' : 'enable';
  const mine = rule.source === 'user' || (rule.source === 'project' && project());
  if (scope.value !== 'edit' || !mine) return copyButton(command('nudge', 'rules', verb, rule.name), `Copy ${verb} command`);
  const body = { name: rule.name, project: rule.source === 'project' ? project() : undefined };
  return h('button', { class: 'button', onclick: () => changeBy(`rule_${verb}`, rule.enabled ? 'rule_enable' : 'rule_disable', body, rule.enabled ? 'Disabled.' : 'Enabled.', ['rules', 'rule/']) }, rule.enabled ? 'Disable' : 'Enable');
}

export function forgetButton(ids) {
  if (scope.value !== 'edit') return null;
  return h('button', { class: 'button', onclick: () => propose(ids) }, 'Forget…');
}

async function propose(ids) {
  try {
    const proposal = await act('forget', { ids, dry: true });
    forgetting.value = { ids, proposal, ready: false };
    setTimeout(() => {
      if (forgetting.peek()?.proposal === proposal) forgetting.value = { ...forgetting.peek(), ready: true };
    }, FORGET_WAIT_MS);
  } catch (error) {
    announce(error.message);
  }
}

async function forget({ ids, proposal }) {
  forgetting.value = null;
  await changeBy('forget', null, { ids, proof: proposal.proof }, `Forgot ${plural(proposal.count, 'observation')}.`, ['observation/', 'search', 'session/', 'lanes', 'overview']);
}

// What would be gone, before it is.
export function forgetDialog() {
  const open = forgetting.value;
  if (!open) return null;
  const { proposal, ready } = open;
  const close = () => (forgetting.value = null);
  const show = (node) => {
    queueMicrotask(() => {
      if (node.isConnected && !node.open) node.showModal();
    });
    return () => node.close();
  };
  return h(
    'dialog',
    { key: 'forget', class: 'dialog', ref: show, onclose: close, 'aria-labelledby': 'forget-title' },
    h('h2', { id: 'forget-title' }, `Forget ${plural(proposal.count, 'observation')}?`),
    h('p', { class: 'quiet-text' }, `It cannot be undone.${proposal.pinned > 0 ? ` ${plural(proposal.pinned, 'is pinned', 'are pinned')}.` : ''}`),
    h('ul', { class: 'forget-list' }, (proposal.sample || []).map((text, index) => h('li', { key: index }, said(text)))),
    h('div', { class: 'dialog-foot' }, h('button', { class: 'button', autofocus: true, onclick: close }, 'Keep'), h('button', { class: 'button button-fail', disabled: !ready, onclick: () => forget(open) }, `Forget ${proposal.count} for good`)),
  );
}
