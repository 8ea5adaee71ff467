// Glyphs: 16 by 16, one symbol each, used by name. Marks are heavier than the glyphs of pages.
import { h } from './view.js';

const OCTAGON = 'M5.1 1.6h5.8l3.5 3.5v5.8l-3.5 3.5H5.1l-3.5-3.5V5.1z';

// [path, how it is drawn]: s stroke, f fill; several pairs are drawn in their order.
const SHAPES = {
  prompt: [['M4 14V2.5', 's'], ['M4 2.5h8.5l-2 2.7 2 2.8H4z', 'f']],
  read: [['M8 6a2 2 0 1 0 .01 0z', 'f']],
  edit: [['M5 5h6v6H5z', 'f']],
  command: [['M8 3.5v9', 'm']],
  failed: [['M4 4l8 8M12 4l-8 8', 'm']],
  fixed: [['M3 8.6l3.4 3.4L13 4.6', 'm']],
  blocked: [[OCTAGON, 'b'], ['M5 8h6', 'o']],
  before: [[OCTAGON, 's'], ['M5.5 8h5', 's']],
  wrong: [[OCTAGON, 's'], ['M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4', 's']],
  told: [['M2.5 4h11L8 12.5z', 'f']],
  commit: [['M8 2.5L13.5 8 8 13.5 2.5 8z', 'f']],
  live: [['M8 5a3 3 0 1 0 .01 0z', 'f']],
  warning: [['M8 2L14.5 13.5h-13z', 'f'], ['M8 6v3.4M8 11.6v.1', 'o']],
  lanes: [['M2 4h12M2 8h12M2 12h12', 's'], ['M6 2.5a1.5 1.5 0 1 0 .01 0zM10.5 6.5a1.5 1.5 0 1 0 .01 0zM5 10.5a1.5 1.5 0 1 0 .01 0z', 'f']],
  pulse: [['M1.5 8.5h3l2-5 3 9.5 2-4.5h3', 's']],
  lens: [['M7 2.5a4.5 4.5 0 1 0 .01 0zM10.4 10.4L14 14', 's']],
  bricks: [['M2 3h12v10H2zM2 8h12M6 3v5M10 3v5M8 8v5', 's']],
  sheet: [['M4 1.8h5.2L12.5 5v9.2H4zM9 2v3.2h3.3', 's']],
  barrier: [['M1.5 4.5h13v4h-13zM4 8.5v5M12 8.5v5M4 4.5v-2M12 4.5v-2', 's']],
  bubble: [['M2 3h12v8H8l-3 2.8V11H2z', 's']],
  tag: [['M2.2 2.2h5.6l6 6-5.6 5.6-6-6zM5 5v.1', 's']],
  nodes: [['M4.6 7.2l6-3M4.6 8.8l6 3', 's'], ['M3 6.2a1.8 1.8 0 1 0 .01 0zM12.4 1.8a1.8 1.8 0 1 0 .01 0zM12.4 10.6a1.8 1.8 0 1 0 .01 0z', 'f']],
  gauge: [['M2.2 12.5a6.3 6.3 0 1 1 11.6 0zM8 10.5l2.6-4', 's']],
  dead: [['M8 2.5a5.5 5.5 0 1 0 .01 0z', 'd']],
  ring: [['M8 4.4a3.6 3.6 0 1 0 .01 0z', 's']],
  list: [['M4 2v12M4 4.5h0M8 4h6M8 8h6M8 12h6', 's'], ['M4 2.6l2 2.9H2zM4 13.4l2-2.9H2z', 'f']],
  bookmark: [['M4 2h8v12l-4-3.2L4 14z', 's']],
  copy: [['M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3', 's']],
  lock: [['M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5', 's']],
  pen: [['M3 13l.8-3.2L11 2.6l2.4 2.4-7.2 7.2z', 's']],
  theme: [['M8 2a6 6 0 1 0 .01 0z', 's'], ['M8 2.2a5.8 5.8 0 0 1 0 11.6z', 'f']],
  help: [['M5.6 6a2.4 2.4 0 1 1 3.6 2.1c-.8.5-1.2.9-1.2 1.9M8 12.6v.1', 's']],
  down: [['M4.5 6.5L8 10l3.5-3.5', 's']],
  right: [['M6.5 4.5L10 8l-3.5 3.5', 's']],
  more: [['M3 7a1.2 1.2 0 1 0 .01 0zM8 7a1.2 1.2 0 1 0 .01 0zM13 7a1.2 1.2 0 1 0 .01 0z', 'f']],
};

// All symbols, once in the page, so that a glyph is a reference.
export function symbols() {
  const one = ([name, parts]) => h('symbol', { id: `/glyph/${name}`, viewBox: '0 0 16 16' }, parts.map(([d, how]) => h('path', { d, class: `g-${how}` })));
  return h('svg', { class: 'symbols', 'aria-hidden': 'true', focusable: 'false' }, Object.entries(SHAPES).map(one));
}

export function glyph(name, classes) {
  return h('svg', { class: `glyph glyph-${name} ${classes || ''}`, 'aria-hidden': 'true', focusable: 'false' }, h('use', { href: `#/glyph/${name}` }));
}

// The N of the name.
export function logo() {
  return h('svg', { class: 'logo', viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false' }, h('path', { d: 'M3.4 13.2V2.8l9.2 10.4V2.8', class: 'g-m' }));
}
