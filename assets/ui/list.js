// Long lists: a window of at most 200 rows that is paged by cursor, with no room for what is not loaded.
import { h, signal, untracked } from './view.js';
import { address, ask } from './door.js';

import { announce } from './copy.js';

const MAX_ROWS = 200;

const lists = new Map();

// Rows beyond the first answer, kept by what was asked: a new question begins a new list.
export function pagedRows(name, question, first) {
  const at = address(name, question);
  let list = lists.get(name);
  if (!list || list.at !== at || list.first !== first) {
    list = { at, first, more: signal({ rows: [], cursor: first.cursor || null, dropped: 0, busy: false }), question };
    lists.set(name, list);
  }
  const { rows, cursor, dropped, busy } = list.more.value;
  const all = [...first.rows, ...rows].slice(dropped);
  return { rows: all, foot: cursor || dropped ? listFoot(list, name, { cursor, dropped, busy }) : null };
}

function listFoot(list, name, state) {
  return h(
    'div',
    { class: 'list-foot' },
    state.dropped ? h('button', { class: 'button', onclick: () => reset(list) }, 'Back to the newest') : null,
    state.cursor ? h('button', { class: 'button', disabled: state.busy, onclick: () => loadMore(list, name) }, state.busy ? 'Loading…' : 'Older') : null,
  );
}

function reset(list) {
  list.more.value = { rows: [], cursor: list.first.cursor || null, dropped: 0, busy: false };
}

async function loadMore(list, name) {
  const before = untracked(() => list.more.value);
  list.more.value = { ...before, busy: true };
  try {
    const next = await ask(name, { ...list.question, before: before.cursor });
    const rows = [...before.rows, ...next.rows];
    const all = list.first.rows.length + rows.length;
    list.more.value = { rows, cursor: next.rows.length > 0 ? next.cursor || null : null, dropped: Math.max(0, all - MAX_ROWS), busy: false };
  } catch (error) {
    list.more.value = { ...before, busy: false };
    announce(error.message);
  }
}
