// The glyph of what happened.
import { glyph } from './glyph.js';

const GLYPHS = { read: 'read', search: 'read', edit: 'edit', write: 'edit', command: 'command', prompt: 'prompt', failed: 'failed', fixed: 'fixed', blocked: 'blocked', told: 'told', commit: 'commit', lost: 'warning', stop: 'live', note: 'bookmark' };

export const kindGlyph = (kind) => glyph(Object.hasOwn(GLYPHS, kind) ? GLYPHS[kind] : 'read', `kind-${Object.hasOwn(GLYPHS, kind) ? kind : 'read'}`);

