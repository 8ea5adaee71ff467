// The view layer: signals, and nodes that are compared with what is on the screen.
// It is the only place that creates elements; text always becomes a text node.

const SVG = 'http://www.w3.org/2000/svg';
const ADDRESSES = ['href', 'src', 'action', 'formaction', 'xlink:href'];
const PROPERTIES = ['value', 'checked', 'indeterminate'];

let running = null;
let queue = new Set();
let planned = false;

// A value that effects can depend on.
export function signal(value) {
  const readers = new Set();
  return {
    get value() {
      if (running) {
        readers.add(running);
        running.sources.add(readers);
      }
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const reader of [...readers]) reader.notify();
    },
    peek: () => value,
  };
}

function track(reader, work) {
  for (const source of reader.sources) source.delete(reader);
  reader.sources.clear();
  const before = running;
  running = reader;
  try {
    return work();
  } finally {
    running = before;
  }
}

// A value that follows from other signals; it is computed when it is read.
export function computed(work) {
  const out = signal(undefined);
  let fresh = false;
  const reader = {
    sources: new Set(),
    notify: () => {
      fresh = false;
      // Readers hear of the change before the new value is known, and ask for it when they run.
      out.value = Symbol('outdated');
    },
  };
  const read = () => {
    if (fresh) return;
    fresh = true;
    const value = track(reader, work);
    out.value = value;
  };
  return {
    get value() {
      read();
      return out.value;
    },
    peek: () => {
      read();
      return out.peek();
    },
  };
}

// Runs now, and again after a signal that it read has changed. Returns what ends it.
export function effect(work) {
  const reader = { sources: new Set(), done: false, notify: () => plan(reader), run: null, cleanup: null };
  reader.run = () => {
    if (reader.done) return;
    if (typeof reader.cleanup === 'function') reader.cleanup();
    reader.cleanup = track(reader, work);
  };
  reader.run();
  return () => {
    reader.done = true;
    if (typeof reader.cleanup === 'function') reader.cleanup();
    for (const source of reader.sources) source.delete(reader);
    queue.delete(reader);
  };
}

// Reads signals without depending on them.
export function untracked(work) {
  const before = running;
  running = null;
  try {
    return work();
  } finally {
    running = before;
  }
}

// Effects run once a frame. A hidden page has no frames, so it draws nothing.
function plan(reader) {
  queue.add(reader);
  if (planned) return;
  planned = true;
  requestAnimationFrame(settle);
}

// Runs what waits for the next frame at once.
export function settle() {
  planned = false;
  for (let round = 0; queue.size > 0 && round < 20; round += 1) {
    const now = queue;
    queue = new Set();
    for (const reader of now) reader.run();
  }
}

// Describes an element. Children are texts, numbers, nodes and lists of these; `key` keeps a child's identity.
export function h(tag, props, ...children) {
  const own = props || {};
  for (const name of ADDRESSES) {
    if (own[name] !== undefined && !String(own[name]).startsWith('#/')) throw new Error(`an address must begin with #/: ${own[name]}`);
  }
  const kids = [];
  flatten(children, kids);
  return { tag, key: own.key, props: own, kids, node: null, cleanup: null };
}

function flatten(children, out) {
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === true) continue;
    if (Array.isArray(child)) flatten(child, out);
    else if (typeof child === 'object') out.push(child);
    else out.push({ tag: '', key: undefined, text: String(child), node: null });
  }
}

function build(vnode, space) {
  if (vnode.tag === '') {
    vnode.node = document.createTextNode(vnode.text);
    return vnode.node;
  }
  const inner = vnode.tag === 'svg' ? SVG : space;
  const node = inner ? document.createElementNS(SVG, vnode.tag) : document.createElement(vnode.tag);
  vnode.node = node;
  for (const name of Object.keys(vnode.props)) apply(node, name, undefined, vnode.props[name]);
  for (const kid of vnode.kids) node.append(build(kid, inner));
  // A select has its value only once it has its options.
  if (vnode.tag === 'select' && vnode.props.value !== undefined) node.value = vnode.props.value;
  if (vnode.props.ref) vnode.cleanup = vnode.props.ref(node) || null;
  if (vnode.props.after) vnode.props.after(node);
  return node;
}

function apply(node, name, before, value) {
  if (name === 'key' || name === 'ref' || name === 'after') return;
  if (name.startsWith('on') && name.length > 2) {
    listen(node, name.slice(2), value);
  } else if (name === 'style') {
    for (const key of Object.keys(before || {})) if (!value || !(key in value)) node.style.removeProperty(key);
    for (const key of Object.keys(value || {})) if (!before || before[key] !== value[key]) node.style.setProperty(key, value[key]);
  } else if (PROPERTIES.includes(name) && node.tagName !== 'OPTION') {
    if (node[name] !== value) node[name] = value ?? '';
  } else if (value === undefined || value === null || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? '' : String(value));
  }
}

const handlers = new WeakMap();

function listen(node, kind, work) {
  let own = handlers.get(node);
  if (!own) handlers.set(node, (own = new Map()));
  if (!own.has(kind)) node.addEventListener(kind, (event) => own.get(kind)?.(event), { passive: false });
  own.set(kind, work);
}

function update(old, next, space) {
  next.node = old.node;
  if (next.tag === '') {
    if (old.text !== next.text) next.node.data = next.text;
    return;
  }
  const inner = next.tag === 'svg' ? SVG : space;
  const node = next.node;
  next.cleanup = old.cleanup;
  for (const name of Object.keys(old.props)) if (!(name in next.props)) apply(node, name, old.props[name], undefined);
  arrange(node, old.kids, next.kids, inner);
  for (const name of Object.keys(next.props)) {
    const value = next.props[name];
    if (PROPERTIES.includes(name) || old.props[name] !== value) apply(node, name, old.props[name], value);
  }
  if (next.props.after) next.props.after(node);
}

const same = (a, b) => a.tag === b.tag && a.key === b.key;

function remove(vnode) {
  dispose(vnode);
  vnode.node.remove();
}

function dispose(vnode) {
  if (vnode.cleanup) vnode.cleanup();
  for (const kid of vnode.kids || []) dispose(kid);
}

// Keeps the nodes of children with the same key and tag; others are matched in their order.
function arrange(parent, old, next, space) {
  const keyed = new Map();
  const plain = [];
  for (const kid of old) {
    if (kid.key !== undefined) keyed.set(kid.key, kid);
    else plain.push(kid);
  }
  const kept = new Set();
  let at = 0;
  for (const kid of next) {
    let match = null;
    if (kid.key !== undefined) {
      match = keyed.get(kid.key) || null;
      if (match && !same(match, kid)) match = null;
    } else {
      while (at < plain.length && !same(plain[at], kid)) at += 1;
      if (at < plain.length) match = plain[at++];
    }
    if (match && !kept.has(match)) {
      kept.add(match);
      update(match, kid, space);
    } else {
      build(kid, space);
    }
  }
  for (const kid of old) if (!kept.has(kid)) remove(kid);
  place(parent, next);
}

// Puts the nodes in their order. A node that moves loses the focus, so that is given back.
function place(parent, next) {
  const focus = document.activeElement;
  let here = parent.firstChild;
  for (const kid of next) {
    if (kid.node === here) here = here.nextSibling;
    else parent.insertBefore(kid.node, here);
  }
  if (focus && focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true });
}

// Keeps `root` in step with what `view` returns. Returns what ends it and empties the root.
export function mount(root, view) {
  let last = [];
  const end = effect(() => {
    const next = [];
    flatten([view()], next);
    untracked(() => arrange(root, last, next, null));
    last = next;
  });
  return () => {
    end();
    for (const kid of last) remove(kid);
  };
}

