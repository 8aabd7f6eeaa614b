// Nodes of the document. Names of files and words become text, never markup.

/** The element of that name; `id` attributes begin with a hyphen, so that no global variable hides behind one. */
export const find = id => document.getElementById('-' + id);

export function make(tag, className, ...content) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...content.filter(Boolean));
  return node;
}

/** Writes a text where another one stands: what is read aloud is read once. */
export function write(node, text) { if (node.textContent !== text) node.textContent = text; }

export const on = (id, type, act, options) => find(id).addEventListener(type, act, options);

/** Tells a state or property to those who do not see it (WAI-ARIA 1.2 §6), or, with null, that there is none. */
export const aria = (node, name, value) => value === null ? node.removeAttribute('aria-' + name) : node.setAttribute('aria-' + name, value);
