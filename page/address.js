// The state of a view in the address, so that a view can be shared: #/expression?e=a%20%26%20b.

export const list = {
  write: (parts) => parts.map((part) => encodeURIComponent(part).replace(/!/g, "%21")).join(","),
  read: (text) => text ? text.split(",").map(decodeURIComponent) : [],
};

export function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const values = {};

  for (const pair of query.split("&").filter(Boolean)) {
    const [name, value = ""] = pair.split("=");
    values[name] = value;
  }
  return {view: path || "recommend", values};
}

export const text = (value) => {
  try {
    return decodeURIComponent(value || "");
  } catch {
    return "";
  }
};

export function link(view, values = {}) {
  const query = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${value}`).join("&");

  return `#/${view}${query ? `?${query}` : ""}`;
}

// Replaces the address without a new entry of the history, unless `step` says so: what Back should undo.
export function write(view, values, step = false) {
  const hash = link(view, values);

  if (hash === location.hash) return;
  history[step ? "pushState" : "replaceState"](null, "", hash);
}
