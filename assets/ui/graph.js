// A graph of tasks: layers from left to right, curves between them.
import { h } from './view.js';
import { glyph } from './glyph.js';
import { said } from './part.js';
import { isWide } from './screen.js';

const NODE = { width: 232, height: 56, across: 322, down: 92 };
const SMALL_NODE = { width: 204, height: 56, across: 260, down: 84 };
const nodeSize = () => (isWide() ? NODE : SMALL_NODE);
const MAX_DRAWN = 60;

export const isDone = (task) => task.status === 'completed';
export const isActive = (task) => task.status === 'in_progress';

export function taskWords(task) {
  if (isDone(task)) return 'done';
  if (isActive(task)) return task.owner ? `in progress, ${task.owner}` : 'in progress';
  if (task.ready) return 'ready to start';
  const waits = task.waits_for || [];
  return waits.length > 0 ? `waits for ${waits.join(', ')}` : String(task.status || 'pending').replaceAll('_', ' ');
}

// Beyond 60 tasks the done ones of a layer are one node.
function foldDone(layers, tasks) {
  const all = layers.flat();
  const node = (id) => ({ ids: [id], task: tasks.get(id) });
  if (all.length <= MAX_DRAWN) return layers.map((layer) => layer.filter((id) => tasks.has(id)).map(node));
  return layers.map((layer) => {
    const done = layer.filter((id) => tasks.has(id) && isDone(tasks.get(id)));
    const rest = layer.filter((id) => tasks.has(id) && !isDone(tasks.get(id))).map(node);
    return done.length > 0 ? [{ ids: done, task: { id: done[0], title: `${done.length} tasks`, status: 'completed', deps: done.flatMap((id) => tasks.get(id).deps || []) } }, ...rest] : rest;
  });
}

export function taskGraph(data, chosen, choose) {
  const size = nodeSize();
  const tasks = new Map(data.tasks.map((task) => [task.id, task]));
  const layers = foldDone(data.layers, tasks).filter((layer) => layer.length > 0);
  const places = new Map();
  const rows = Math.max(1, ...layers.map((layer) => layer.length));
  layers.forEach((layer, x) => {
    const top = layer.length === 1 && rows > 1 && x > 0 ? ((rows - 1) * size.down) / 2 / (rows > 2 ? 2 : 1) : 0;
    layer.forEach((node, y) => {
      const place = { x: x * size.across + 2, y: y * size.down + top + 2, node };
      for (const id of node.ids) places.set(id, place);
    });
  });
  const width = (layers.length - 1) * size.across + size.width + 4;
  const height = (rows - 1) * size.down + size.height + 4;
  const longest = new Set((data.longest || []).slice(1).map((id, index) => `${data.longest[index]}>${id}`));
  const edges = { plain: '', strong: '' };
  for (const task of data.tasks) for (const dep of task.deps || []) edges[longest.has(`${dep}>${task.id}`) ? 'strong' : 'plain'] += edge(places.get(dep), places.get(task.id), size);
  return h(
    'div',
    { class: 'graph', style: { width: `${width}px`, height: `${height}px` } },
    h('svg', { class: 'graph-edges', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' }, h('path', { d: edges.plain, class: 'edge' }), h('path', { d: edges.strong, class: 'edge edge-strong' })),
    h('ul', {}, [...new Set(places.values())].map((place) => taskNode(place, chosen, choose, size))),
  );
}

function edge(from, to, size) {
  if (!from || !to || from === to) return '';
  const x1 = from.x + size.width;
  const y1 = from.y + size.height / 2;
  const x2 = to.x - 5;
  const y2 = to.y + size.height / 2;
  const bend = Math.max(30, (x2 - x1) / 2);
  const curve = Math.abs(y1 - y2) < 1 ? `L${x2} ${y2}` : `C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  return `M${x1} ${y1}${curve}M${x2 - 5} ${y2 - 4}L${x2} ${y2}L${x2 - 5} ${y2 + 4}`;
}

function taskNode(place, chosen, choose, size) {
  const { task, ids } = place.node;
  const state = isDone(task) ? 'done' : isActive(task) ? 'active' : task.ready ? 'ready' : 'waits';
  return h(
    'li',
    { key: ids[0], class: 'graph-item', style: { left: `${place.x}px`, top: `${place.y}px`, width: `${size.width}px`, height: `${size.height}px` } },
    h('button', { class: `node node-${state}`, 'aria-pressed': String(ids.includes(chosen)), 'data-row': ids[0], onclick: () => choose(ids[0]) }, h('span', { class: 'node-title' }, said(task.title)), h('span', { class: 'node-note' }, ids.length > 1 ? 'done' : `${task.id} · ${taskWords(task)}`), isDone(task) ? glyph('fixed', 'node-mark tone-fixed') : isActive(task) ? glyph('live', 'node-mark') : null),
  );
}
