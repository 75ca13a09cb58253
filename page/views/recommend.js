// Recommendations after a history that is changed by hand: every change re-sorts the list at once.
import * as address from "../address.js";
import {call} from "../api.js";
import {announce, empty, glide, h, problem, replace, svg, toast} from "../dom.js";
import {fixed, plural, signed} from "../format.js";
import {itemSearch, learnTitle, loadTitles, titleOf} from "./item_search.js";

const lengths = [10, 20, 50];

// Literals in the address: i1,!i2 likes i1 and dislikes i2.
const writeHistory = (history) =>
  history.map((l) => (l.liked ? "" : "!") + address.list.write([l.item])).join(",");
const readHistory = (text) => (text ? text.split(",") : []).map((part) =>
  ({item: address.text(part.replace(/^!/, "")), liked: !part.startsWith("!")})).filter((l) => l.item);

// A name as a formula shows it: short.
const short = (text, most = 26) => text.length > most ? `${text.slice(0, most - 1)}…` : text;

export function show(root, values, model) {
  let history = readHistory(values.h);
  let user = address.text(values.user);
  let k = lengths.includes(+values.k) ? +values.k : lengths[0];
  let open = address.text(values.open);
  let places = new Map(), before = new Map(); // of this list and of the one before, for the moves
  let asking = null;
  const needsUser = model.abilities.needs_user;
  const explains = model.abilities.reads_histories;

  const chips = h("ol", {class: "chips", "aria-label": "History, oldest first"});
  const hint = h("p", {class: "hint"});
  const list = h("ol", {class: "rows", "aria-label": "Recommendations"});
  const note = h("p", {class: "soft list-note"});
  const message = h("div");

  const save = (step) => address.write("recommend",
    {h: writeHistory(history), user: encodeURIComponent(user), k: k === lengths[0] ? "" : k, open: encodeURIComponent(open)}, step);

  // ---- the history ----

  function changed(sentence, step = true) {
    save(step);
    drawChips();
    ask();
    announce(sentence);
  }

  function add(item, liked) {
    learnTitle(item.item, item.title);
    history = history.filter((l) => l.item !== item.item).concat({item: item.item, liked});
    changed(`${titleOf(item.item)} is ${liked ? "liked" : "disliked"}`);
  }

  function focusChip(index, part = ".chip") {
    const chip = chips.children[Math.max(0, Math.min(index, chips.children.length - 1))];

    if (chip) (chip.matches(part) ? chip : chip.querySelector(part)).focus();
  }

  function flip(index) {
    history = history.map((l, i) => i === index ? {...l, liked: !l.liked} : l);
    changed(`${titleOf(history[index].item)} is ${history[index].liked ? "liked" : "disliked"} now`);
  }

  function drop(index) {
    const [gone] = history.splice(index, 1);

    changed(`${titleOf(gone.item)} is removed`);
  }

  function move(from, to) {
    if (to < 0 || to >= history.length || from === to) return;
    history.splice(to, 0, ...history.splice(from, 1));
    changed(`${titleOf(history[to].item)} is at place ${to + 1} of ${history.length}`);
  }

  function chipKey(event, index) {
    const step = {ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1}[event.key];

    if (event.target !== event.currentTarget) return;
    if (step && event.altKey) move(index, index + step);
    else if (event.key === " " || event.key === "Enter") flip(index);
    else if (event.key === "Delete" || event.key === "Backspace") drop(index);
    else if (!step) return;
    event.preventDefault();
    focusChip(step ? Math.max(0, Math.min(index + step, history.length - 1)) : index);
  }

  // Dragging, by mouse or finger: the chip follows the pointer, the others make room.
  function drag(event, index) {
    const chip = chips.children[index], start = event.clientY;
    let place = index;

    event.preventDefault();
    chip.classList.add("dragged");
    event.target.setPointerCapture(event.pointerId);
    const tops = [...chips.children].map((c) => c.getBoundingClientRect());
    const pitch = tops.length > 1 ? tops[1].top - tops[0].top : tops[0].height;

    const follow = (e) => {
      const by = e.clientY - start;
      place = Math.max(0, Math.min(history.length - 1, index + Math.round(by / pitch)));
      [...chips.children].forEach((other, i) => {
        const shift = i === index ? by : i > index && i <= place ? -pitch : i < index && i >= place ? pitch : 0;
        other.style.setProperty("transform", shift ? `translateY(${shift}px)` : "none");
      });
    };
    const end = () => {
      event.target.removeEventListener("pointermove", follow);
      for (const other of chips.children) other.style.removeProperty("transform");
      chip.classList.remove("dragged");
      move(index, place);
    };
    event.target.addEventListener("pointermove", follow);
    event.target.addEventListener("pointerup", end, {once: true});
    event.target.addEventListener("pointercancel", end, {once: true});
  }

  // Shows in every row what this literal adds.
  const point = (item) => {
    for (const bar of list.querySelectorAll(".mark")) bar.classList.toggle("pointed", bar.dataset.item === item);
  };

  function chip(literal, index) {
    const title = titleOf(literal.item), verb = literal.liked ? "likes" : "dislikes";

    return h("li", {class: `chip ${literal.liked ? "liked" : "disliked"}`, tabindex: index ? -1 : 0, "data-key": literal.item,
      "aria-label": `${verb} ${title}, place ${index + 1} of ${history.length}. Space flips, Delete removes, Alt with arrows moves.`,
      on: {keydown: (event) => chipKey(event, index), mouseenter: () => point(literal.item), mouseleave: () => point(""),
        focus: () => point(literal.item), blur: () => point("")}},
    h("span", {class: "grip", title: "Drag to reorder", "aria-hidden": "true",
      on: {pointerdown: (event) => drag(event, index)}}, "⠿"),
    h("button", {type: "button", class: "sign", tabindex: -1, title: "Flip", "aria-label": `Flip ${title}`, "aria-pressed": literal.liked,
      on: {click: () => flip(index)}}, verb),
    h("span", {class: "chip-title", title}, title),
    h("button", {type: "button", class: "drop", tabindex: -1, title: "Remove", "aria-label": `Remove ${title}`,
      on: {click: () => drop(index)}}, "×"));
  }

  function drawChips() {
    glide(chips, () => replace(chips, history.map(chip)));
    replace(hint, history.length > 1
      ? "Oldest first. Drag to reorder; by keyboard: arrows, Alt with arrows, Space, Delete."
      : history.length ? "Add more, or flip this one." : "");
  }

  // ---- the list ----

  const question = () => ({
    ...(user ? {user} : {}),
    ...(history.length || !user ? {history: history.map(({item, liked}) => ({item, liked}))} : {}),
    k, ...(explains ? {reasons: true} : {}),
  });

  // Signed bars around a line, one for each literal, in the order of the history.
  function fingerprint(reasons, most) {
    const step = 9, height = 30, width = Math.max(1, reasons.length) * step;

    return svg("svg", {class: "fingerprint", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true"},
      svg("line", {x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "axis"}),
      reasons.map((reason, i) => {
        const length = Math.max(1, Math.abs(reason.contribution) / most * (height / 2 - 1));
        return svg("rect", {x: i * step + 1, width: step - 3, rx: 1.5, height: length, "data-item": reason.item,
          y: reason.contribution > 0 ? height / 2 - length : height / 2,
          class: `mark ${reason.contribution > 0 ? "for" : "against"}`});
      }));
  }

  function formula(row) {
    const parts = row.reasons.map((reason, i) => [i ? " ∧ " : "", reason.liked ? "" : h("span", {class: "false"}, "¬"),
      h("span", {class: "name", title: titleOf(reason.item)}, short(titleOf(reason.item)))]);

    return h("p", {class: "formula", "aria-label": "The formula that was scored"},
      row.reasons.length ? ["¬( ", parts, " ) ∨ "] : null, h("strong", {}, short(row.title || row.item, 40)));
  }

  function reasonRow(reason, most) {
    const share = `${Math.abs(reason.contribution) / most * 50}%`, positive = reason.contribution > 0;

    return h("li", {class: "reason"},
      h("span", {class: "reason-title"}, h("span", {class: reason.liked ? "true" : "false"}, reason.liked ? "likes " : "dislikes "),
        titleOf(reason.item)),
      h("span", {class: "signed-bar", "aria-hidden": "true"}, h("span", {class: `bar ${positive ? "for" : "against"}`,
        css: {width: share, [positive ? "left" : "right"]: "50%"}})),
      h("span", {class: `number ${positive ? "true" : "false"}`}, signed(reason.contribution)));
  }

  function details(row, most) {
    return h("div", {class: "details", id: `why-${row.item}`},
      row.reasons.length
        ? [h("ul", {class: "reasons", "aria-label": "Reasons"}, row.reasons.map((reason) => reasonRow(reason, most))),
          h("p", {class: "soft small"}, "What each part of the history adds to the score or takes from it; together they are what the history changes.")]
        : h("p", {class: "soft"}, explains ? "Without a history there are no reasons yet." : "This method reads no history, so it has no reasons."),
      formula(row));
  }

  // How far a row has moved since the list before.
  function moved(item, place) {
    const was = before.get(item);

    if (!before.size || was === place) return h("span", {class: "move"});
    if (was === undefined) return h("span", {class: "move new", title: "New in the list"}, "new");
    return was > place
      ? h("span", {class: "move up", title: `Up ${was - place}`}, `▲${was - place}`)
      : h("span", {class: "move down", title: `Down ${place - was}`}, `▼${place - was}`);
  }

  function rowOf(row, place, scale, most) {
    const isOpen = open === row.item, title = row.title || row.item;

    return h("li", {class: `row-item ${isOpen ? "open" : ""}`, "data-key": row.item},
      h("div", {class: "row-head"},
        h("span", {class: "place"}, place + 1), moved(row.item, place),
        h("button", {type: "button", class: "row-title", "aria-expanded": isOpen, "aria-controls": isOpen ? `why-${row.item}` : null,
          on: {click: () => { open = isOpen ? "" : row.item; save(false); draw(); focusRow(row.item); }}},
        h("span", {class: "title"}, title), row.title ? h("span", {class: "name"}, row.item) : null),
        fingerprint(row.reasons, most),
        h("span", {class: "score"}, h("span", {class: "number"}, fixed(row.score)),
          h("span", {class: "score-bar", "aria-hidden": "true"}, h("span", {css: {width: `${Math.max(2, 100 * scale(row.score))}%`}}))),
        h("span", {class: "row-actions"},
          h("button", {type: "button", class: "mini true", "aria-label": `Like ${title}`, on: {click: () => say(row, true)}}, "like"),
          h("button", {type: "button", class: "mini false", "aria-label": `Dislike ${title}`, on: {click: () => say(row, false)}}, "dislike"))),
      isOpen ? details(row, most) : null);
  }

  const focusRow = (item) => list.querySelector(`[data-key="${CSS.escape(item)}"] .row-title`)?.focus();

  // For a user what is said is stored, and the next answer knows it; else it joins the history of this page.
  async function say(row, liked) {
    if (!user || history.length) return add(row, liked);
    try {
      const id = `page-${crypto.randomUUID ? crypto.randomUUID() : Math.random().toString(36).slice(2)}`;
      const answer = await call("POST", "/api/v1/events", {events: [{id, user, item: row.item, liked}]});
      const [result] = answer.results;

      toast(result.status === "refused" ? result.why : `Stored: ${user} ${liked ? "likes" : "dislikes"} ${row.title || row.item}`,
        result.status === "refused" ? "bad" : "good");
      ask();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  let answer = null;

  function draw() {
    const rows = answer.items.map((row) => ({...row, reasons: row.reasons || []}));
    const scores = rows.map((row) => row.score), least = Math.min(...scores), best = Math.max(...scores);
    const most = Math.max(1e-9, ...rows.flatMap((row) => row.reasons.map((r) => Math.abs(r.contribution))));
    const scale = (score) => best > least ? 0.15 + 0.85 * (score - least) / (best - least) : 1;

    glide(list, () => replace(list, rows.map((row, place) => rowOf(row, place, scale, most))));
    replace(message, rows.length ? null : empty("Nothing is left to recommend", "Every item is in the history or excluded."));
  }

  async function ask() {
    if (asking) asking.abort();
    asking = new AbortController();
    if (needsUser && !user) {
      replace(list);
      return replace(message, empty("For whom?", "This method knows only the users of its training. Type the name of one."));
    }
    try {
      const next = await call("POST", "/api/v1/recommend", question(), {signal: asking.signal});

      before = places;
      places = new Map(next.items.map((row, place) => [row.item, place]));
      for (const row of next.items.flatMap((r) => [r, ...(r.reasons || [])])) learnTitle(row.item, row.title);
      answer = next;
      draw();
      const moves = next.items.filter((row, place) => before.size && before.get(row.item) !== place).length;
      note.textContent = history.length || user
        ? `${before.size && moves ? `${plural(moves, "row")} moved. ` : ""}Open a row for its reasons and its formula.`
        : "What the model suggests before it knows anything. Add a few likes and dislikes.";
    } catch (error) {
      if (error.name === "AbortError") return;
      answer = null;
      replace(list);
      places = new Map();
      replace(message, problem(error, ask));
    }
  }

  // ---- the view ----

  const userBox = h("input", {type: "text", class: "user", value: user, placeholder: "nobody in particular", "aria-label": "For the user",
    spellcheck: "false", autocomplete: "off", on: {change: (event) => { user = event.target.value.trim(); places = new Map(); changed(`For ${user || "nobody in particular"}`); }}});
  const length = h("select", {"aria-label": "Rows", on: {change: (event) => { k = +event.target.value; changed(`${k} rows`); }}},
    lengths.map((n) => h("option", {value: n, selected: n === k}, `${n} rows`)));

  replace(root,
    h("section", {class: "side", "aria-label": "Tastes"},
      h("h1", {}, "Recommend"),
      h("p", {class: "lead"}, "Say what somebody likes and dislikes. The network reads it as a formula and ranks everything else."),
      itemSearch({label: "Search items", placeholder: "Search items to like or dislike", choose: add, both: true,
        exclude: () => new Set(history.map((l) => l.item))}),
      h("p", {class: "keys soft small"}, h("kbd", {}, "Enter"), " likes, ", h("kbd", {}, "Shift"), "+", h("kbd", {}, "Enter"), " dislikes"),
      chips, hint,
      h("div", {class: "field"}, h("label", {}, h("span", {}, "For the user"), userBox),
        h("p", {class: "soft small"}, "Without likes and dislikes above, the list follows what this user has said so far. Like and dislike in the list are then stored as events."))),
    h("section", {class: "results", "aria-label": "Recommendations"},
      h("div", {class: "results-head"}, h("h2", {}, "The list"), note, length), list, message));

  drawChips();
  ask();
  loadTitles(history.map((l) => l.item)).then(() => {
    drawChips();
    if (answer) draw();
  });
  return () => asking && asking.abort();
}
