// A training as it goes: curves, time left, and what became of it.
import {call, stream} from "../api.js";
import {announce, empty, h, problem, replace, toast} from "../dom.js";
import {chart} from "../drawing/chart.js";
import {bytes, duration, fixed} from "../format.js";

const largest = 8e6; // bytes of a file from this page

export function show(root, values, model) {
  const leaving = new AbortController();
  let state = {state: "idle"}, epochs = [], log = [];

  const head = h("div", {class: "training-head"});
  const curves = h("div", {class: "charts"});
  const lines = h("ol", {class: "log", "aria-label": "Log"});
  const fault = h("div");

  // ---- what the server tells ----

  function learn(event, data) {
    if (event === "state") state = {...state, ...data};
    else if (event === "progress") state = {...state, ...data, state: "running"};
    else if (event === "epoch") {
      state = {...state, ...data, state: "running"};
      epochs = epochs.filter((e) => e.epoch !== data.epoch).concat(data).sort((a, b) => a.epoch - b.epoch);
    } else if (event === "log") log = [...log.slice(-60), data];
    else if (event === "end") {
      state = {...state, ...data};
      announce(`The training has ended: ${data.message || data.state}`);
    }
    draw();
    return event === "end" ? "end" : "";
  }

  async function watch() {
    try {
      await stream("/api/v1/train/stream", learn, leaving.signal);
    } catch (error) {
      if (error.name !== "AbortError" && !leaving.signal.aborted) replace(fault, problem(error, load));
    }
  }

  async function load() {
    replace(fault);
    try {
      state = await call("GET", "/api/v1/train", undefined, {signal: leaving.signal});
      epochs = state.epochs || [];
      log = state.log || [];
      draw();
      if (state.state === "running") watch();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 404)
        return replace(head, empty("This server does not train", "It serves a model that was trained with nln train. A new model file is put in service by a reload."));
      replace(fault, problem(error, load));
    }
  }

  async function start(body, path = "/api/v1/train") {
    replace(fault);
    try {
      await call("POST", path, body);
      state = {state: "running", epoch: 0};
      epochs = [];
      log = [];
      draw();
      watch();
    } catch (error) {
      replace(fault, problem(error));
    }
  }

  async function stop() {
    try {
      await call("DELETE", "/api/v1/train");
      toast("The training stops after this batch.");
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  // ---- drawing ----

  const curve = (name, key, pick) => ({name, class: key, points: epochs.map((e) => [e.epoch, pick(e)]).filter(([, y]) => Number.isFinite(y))});

  function drawCurves() {
    const valid = epochs.at(-1)?.metric || "validation";

    replace(curves, epochs.length ? [
      chart({title: "Loss", series: [curve("training", "a", (e) => e.loss)]}),
      chart({title: `Validation: ${valid}`, series: [curve("validation", "b", (e) => e.valid)]}),
      chart({title: "Laws kept", series: [curve("mean of the laws", "c", (e) => e.laws)], format: (y) => fixed(y, 3)}),
    ] : null);
  }

  function drawHead() {
    const running = state.state === "running", share = state.n_epochs
      ? ((state.epoch || 1) - 1 + (state.total ? state.done / state.total : 0)) / state.n_epochs : 0;

    replace(head, running ? h("div", {class: "panel running"},
      h("div", {class: "running-line"},
        h("div", {}, h("span", {class: "big number"}, state.epoch || 0), h("span", {class: "soft"}, ` of ${state.n_epochs || "?"} epochs`)),
        h("div", {}, h("span", {class: "number"}, duration(state.seconds_left)), h("span", {class: "soft"}, " left, "),
          h("span", {class: "number"}, duration(state.seconds)), h("span", {class: "soft"}, " so far")),
        h("button", {type: "button", class: "button", on: {click: stop}}, "Stop")),
      h("progress", {max: 1, value: Math.min(1, share), "aria-label": "Progress"})) : forms(), outcome());
  }

  function outcome() {
    if (!["done", "failed", "stopped", "kept"].includes(state.state)) return null;
    const good = state.state === "done";

    return h("div", {class: `panel outcome ${good ? "good" : "bad"}`},
      h("h2", {}, {done: "The new model is in service", kept: "The old model stays in service", stopped: "Stopped", failed: "The training failed"}[state.state]),
      state.message ? h("p", {}, state.message) : null);
  }

  function forms() {
    const epochsBox = h("input", {type: "number", min: 1, max: 1000, value: 20, name: "epochs", "aria-label": "Epochs"});
    const file = h("input", {type: "file", name: "file", "aria-label": "A data file", accept: ".csv,.tsv,.txt,.dat,.data,.gz,.zst"});
    const task = h("select", {name: "task", "aria-label": "Task"}, ["topk", "preference", "logic"].map((name) =>
      h("option", {value: name, selected: name === model.task}, name)));

    return h("div", {class: "starts"},
      h("form", {class: "panel", on: {submit: (event) => { event.preventDefault(); start({epochs: +epochsBox.value}); }}},
        h("h2", {}, "From the store"),
        h("p", {class: "soft"}, "Learns from the events so far, less the newest. The new model replaces the one in service only if it is not worse on those, which neither has learned."),
        h("label", {class: "inline"}, "Epochs ", epochsBox),
        h("button", {class: "button primary"}, "Train")),
      h("form", {class: "panel", on: {submit: async (event) => {
        event.preventDefault();
        if (!file.files.length) return toast("Choose a file first.", "bad");
        if (file.files[0].size > largest) return toast(`The file has ${bytes(file.files[0].size)}; from the page at most ${bytes(largest)} are read. Use nln train.`, "bad");
        start({data: await file.files[0].text(), name: file.files[0].name, task: task.value});
      }}},
      h("h2", {}, "From a file"),
      h("p", {class: "soft"}, `Ratings (user, item, rating, time), or expressions with T or F, up to ${bytes(largest)}. Trained to be looked at: the model in service stays.`),
      h("div", {class: "row"}, file, h("label", {class: "inline"}, "Task ", task)),
      h("button", {class: "button primary"}, "Train")));
  }

  let wasRunning = null;
  function draw() {
    const running = state.state === "running";

    if (running || wasRunning !== running) drawHead();
    wasRunning = running;
    drawCurves();
    replace(lines, log.slice(-8).map((line) => h("li", {}, line.message || String(line))));
  }

  replace(root, h("section", {class: "single"},
    h("h1", {}, "Training"),
    h("p", {class: "lead"}, "The loss falls, validation rises, and the modules find out what AND, OR and NOT mean."),
    head, fault, curves, lines));
  load();
  return () => leaving.abort();
}
