// A search box for items: words of a title go in, an item that is chosen comes out.
import {call} from "../api.js";
import {announce, debounce, h, replace} from "../dom.js";

let boxes = 0;

// choose(item, liked) is called with {item, title}; without `both` there is no dislike.
export function itemSearch({label, placeholder, choose, both = false, exclude = () => new Set()}) {
  const id = `items-${++boxes}`;
  let found = [], active = 0, asking = null;

  const input = h("input", {type: "search", class: "search", placeholder, "aria-label": label, role: "combobox",
    autocomplete: "off", spellcheck: "false", "aria-expanded": "false", "aria-controls": id, "aria-autocomplete": "list"});
  const options = h("ul", {id, class: "options", role: "listbox", "aria-label": label, hidden: true});

  function close() {
    options.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function take(index, liked) {
    const item = found[index];

    if (!item) return;
    input.value = "";
    found = [];
    close();
    choose(item, liked);
    input.focus();
  }

  function mark(index) {
    active = index;
    [...options.children].forEach((option, i) => option.setAttribute("aria-selected", i === active));
    if (options.children[active]) {
      input.setAttribute("aria-activedescendant", `${id}-${active}`);
      options.children[active].scrollIntoView({block: "nearest"});
    }
  }

  function draw(message) {
    replace(options, found.map((item, i) => h("li", {role: "option", id: `${id}-${i}`, class: "option",
      on: {mousedown: (event) => event.preventDefault(), click: () => take(i, true), mousemove: () => mark(i)}},
    h("span", {class: "option-title"}, item.title || item.item),
    item.title ? h("span", {class: "option-name"}, item.item) : null,
    both ? h("button", {type: "button", class: "mini false", tabindex: -1, "aria-label": `Dislike ${item.title || item.item}`,
      on: {click: (event) => { event.stopPropagation(); take(i, false); }}}, "dislike") : null)),
    message ? h("li", {class: "option none", role: "presentation"}, message) : null);
    options.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (found.length) mark(0);
  }

  const ask = debounce(90, async () => {
    const query = input.value.trim();

    if (asking) asking.abort();
    if (!query) return close();
    asking = new AbortController();
    try {
      const answer = await call("GET", `/api/v1/items?query=${encodeURIComponent(query)}&k=12`, undefined,
        {signal: asking.signal});
      const taken = exclude();

      found = answer.items.filter((item) => !taken.has(item.item)).slice(0, 8);
      draw(found.length ? "" : "No item has these words.");
      announce(found.length ? `${found.length} items` : "No item has these words.");
    } catch (error) {
      if (error.name === "AbortError") return;
      found = [];
      draw(error.message);
    }
  });

  input.addEventListener("input", ask);
  input.addEventListener("focus", () => input.value.trim() && found.length && draw());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) mark((active + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter" && !options.hidden) {
      event.preventDefault();
      take(active, !(both && event.shiftKey));
    } else if (event.key === "Escape") {
      close();
    }
  });
  return h("div", {class: "search-box"}, input, options);
}

const titles = new Map();

export const learnTitle = (item, title) => title && titles.set(item, title);
export const titleOf = (item) => titles.get(item) || item;

// Learns the titles of items that are known by name only, such as those of a shared address.
export async function loadTitles(items) {
  const wanted = items.filter((item) => !titles.has(item));

  await Promise.all(wanted.map(async (item) => {
    const answer = await call("GET", `/api/v1/items?query=${encodeURIComponent(item)}&k=20`, undefined, {quiet: true})
      .catch(() => ({items: []}));
    const same = answer.items.find((found) => found.item === item);
    titles.set(item, same && same.title || item);
  }));
}
