// The server's answers.  Every call is remembered, so that the page can show it as a command.

const listeners = new Set();
export const calls = []; // newest first
const remembered = 30;

// `field` is where the server sees the fault, `line` and `column` where the text has it.
export class ApiError extends Error {
  constructor(status, error) {
    super(error.message || "The request failed.");
    Object.assign(this, {status, field: error.field, line: error.line, column: error.column});
  }
}

export function onCall(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function remember(call) {
  calls.unshift(call);
  calls.length = Math.min(calls.length, remembered);
  for (const listener of listeners) listener(call);
}

export const getKey = () => sessionStorage.getItem("nln-key") || "";
export const setKey = (key) => key ? sessionStorage.setItem("nln-key", key) : sessionStorage.removeItem("nln-key");

function headers(body) {
  return {
    ...(body === undefined ? {} : {"Content-Type": typeof body === "string" || body instanceof Blob
      ? "application/octet-stream" : "application/json"}),
    ...(getKey() ? {Authorization: `Bearer ${getKey()}`} : {}),
  };
}

async function request(method, path, body, signal) {
  try {
    return await fetch(path, {method, signal, headers: headers(body), credentials: "same-origin",
      body: body === undefined || body instanceof Blob || typeof body === "string" ? body : JSON.stringify(body)});
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, {message: "It may have stopped, or the network is gone. The page keeps what you have made."});
  }
}

async function errorOf(response) {
  const answer = await response.json().catch(() => ({}));

  return new ApiError(response.status, answer.error || {message: `${response.status} ${response.statusText}`});
}

// The answer of a route as JSON.  Quiet calls, such as those of a clock, are not remembered.
export async function call(method, path, body, {signal, quiet = false} = {}) {
  const start = performance.now();
  const response = await request(method, path, body, signal);
  const answer = response.ok ? (response.status === 204 ? {} : await response.json()) : await errorOf(response);

  if (!quiet)
    remember({method, path, body, status: response.status, seconds: (performance.now() - start) / 1000,
      when: new Date()});
  if (answer instanceof ApiError) {
    if (answer.status === 401) dispatchEvent(new CustomEvent("nln-key-wanted"));
    throw answer;
  }
  if (answer.model) dispatchEvent(new CustomEvent("nln-model", {detail: answer.model}));
  return answer;
}

const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

// The same request for a shell.  A key is never shown.
export function curl({method, path, body}) {
  const url = new URL(path, location.href).href;
  const words = ["curl"];

  if (getKey()) words.push('-H "Authorization: Bearer $NLN_KEY"');
  if (method === "DELETE" || (method === "POST" && body === undefined)) words.push(`-X ${method}`);
  if (body instanceof Blob) words.push(`--data-binary @${body.name ? quote(body.name) : "FILE"}`);
  else if (body !== undefined)
    words.push("--json", quote(typeof body === "string" ? body : JSON.stringify(body)));
  words.push(/[^A-Za-z0-9:/._-]/.test(url) ? quote(url) : url);
  return words.join(" ");
}

// Server-sent events, over fetch, since an EventSource cannot send a key.  Connects again after a break, from the
// last event on, until `signal` aborts or the server says that there is nothing to come.
export async function stream(path, onEvent, signal) {
  let last = "";

  while (!signal.aborted) {
    const response = await fetch(path, {signal, headers: {...headers(undefined), Accept: "text/event-stream",
      ...(last ? {"Last-Event-ID": last} : {})}});

    if (response.status === 204) return;
    if (!response.ok) throw await errorOf(response);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop();
      for (const block of blocks) {
        const event = {name: "message", data: "", id: ""};
        for (const line of block.split(/\r?\n/)) {
          const colon = line.indexOf(":");
          const field = colon < 0 ? line : line.slice(0, colon);
          const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
          if (colon === 0) continue;
          if (field === "event") event.name = value;
          else if (field === "data") event.data += (event.data ? "\n" : "") + value;
          else if (field === "id") last = event.id = value;
        }
        if (event.data && onEvent(event.name, JSON.parse(event.data)) === "end") return reader.cancel();
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}
