// Elements as expressions: h("p", {class: "soft"}, "text").  Text is always text, never markup.

function apply(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on")
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === "css")
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
}

const present = (children) =>
  children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

function build(element, attributes, children) {
  apply(element, attributes);
  element.append(...present(children));
  return element;
}

export const h = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
export const replace = (element, ...children) => element.replaceChildren(...present(children));

// A sentence for those who cannot see what has changed.
export function announce(sentence) {
  document.getElementById("status").textContent = sentence;
}

export function toast(sentence, kind = "") {
  const element = h("div", {class: `toast ${kind}`}, sentence);
  const toasts = document.getElementById("toasts");

  toasts.append(element);
  while (toasts.children.length > 3) toasts.firstChild.remove();
  setTimeout(() => element.remove(), 5000);
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Runs `change`, then lets the children of `list` that have the same data-key glide to their new places.
export function glide(list, change) {
  const before = new Map([...list.children].map((c) => [c.dataset.key, c.getBoundingClientRect().top]));

  change();
  if (calm()) return;
  for (const child of list.children) {
    const from = before.get(child.dataset.key);
    const by = from === undefined ? 0 : from - child.getBoundingClientRect().top;

    if (from === undefined)
      child.animate([{opacity: 0, transform: "translateY(6px)"}, {opacity: 1, transform: "none"}],
        {duration: 240, easing: "ease-out"});
    else if (by)
      child.animate([{transform: `translateY(${by}px)`}, {transform: "none"}],
        {duration: 320, easing: "cubic-bezier(.2, .7, .2, 1)"});
  }
}

export function debounce(wait, action) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), wait);
  };
}

// What a view shows where it has nothing to show, with a hint what to do.
export function empty(title, ...hints) {
  return h("div", {class: "empty"},
    svg("svg", {viewBox: "0 0 64 40", width: 64, height: 40, "aria-hidden": "true"},
      svg("path", {d: "M10 9 C28 9 28 20 46 20 M10 31 C28 31 28 20 46 20", class: "empty-edge"}),
      svg("circle", {cx: 10, cy: 9, r: 5, class: "empty-node"}),
      svg("circle", {cx: 10, cy: 31, r: 5, class: "empty-node"}),
      svg("circle", {cx: 50, cy: 20, r: 6, class: "empty-node"})),
    h("h2", {}, title), hints.map((hint) => typeof hint === "string" ? h("p", {}, hint) : hint));
}

export function problem(error, again) {
  return h("div", {class: "problem", role: "alert"},
    h("strong", {}, error.status ? `The server answers ${error.status}.` : "The server does not answer."),
    h("p", {}, error.message),
    error.field ? h("p", {class: "soft"}, "It is about ", h("code", {}, error.field), ".") : null,
    again ? h("button", {type: "button", class: "button", on: {click: again}}, "Try again") : null);
}
