// Long lists: a window of at most so many rows that is paged by cursor, with no room for what is not loaded.
import { h, signal, untracked } from './view.js';
import { address, ask } from './door.js';

import { announce } from './copy.js';

const MAX_ROWS = 150;

const lists = new Map();

const newest = () => ({ rows: null, cursor: null, busy: false });

// The rows of the first answer, until the reader asks for older ones: then the window stays where it is, whatever comes
// in at the top. A new question begins a new list.
export function pagedRows(name, question, first) {
  const at = address(name, question);
  let list = lists.get(name);
  if (!list || list.at !== at) {
    list = { at, question, state: signal(newest()) };
    lists.set(name, list);
  }
  const { rows, cursor, busy } = list.state.value;
  const older = rows ? cursor : first.cursor;
  return { rows: rows || first.rows, foot: rows || older ? listFoot(list, name, first, { isPaged: rows !== null, older, busy }) : null };
}

function listFoot(list, name, first, { isPaged, older, busy }) {
  return h(
    'div',
    { class: 'list-foot' },
    isPaged ? h('button', { class: 'button', onclick: () => (list.state.value = newest()) }, 'Back to the newest') : null,
    older ? h('button', { class: 'button', disabled: busy, onclick: () => loadOlder(list, name, first, older) }, busy ? 'Loading…' : 'Older') : null,
  );
}

async function loadOlder(list, name, first, cursor) {
  const before = untracked(() => list.state.value);
  list.state.value = { ...before, busy: true };
  try {
    const next = await ask(name, { ...list.question, before: cursor });
    const rows = [...(before.rows || first.rows), ...next.rows].slice(-MAX_ROWS);
    list.state.value = { rows, cursor: next.rows.length > 0 ? next.cursor || null : null, busy: false };
  } catch (error) {
    list.state.value = { ...before, busy: false };
    announce(error.message);
  }
}
