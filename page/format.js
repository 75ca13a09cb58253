// Numbers, times and truth as people read them.

export const fixed = (x, digits = 2) => Number.isFinite(x) ? x.toFixed(digits) : "–";
// With a true minus sign, and a plus where the sign is the message.
export const signed = (x, digits = 2) =>
  Number.isFinite(x) ? (x < 0 ? "−" : "+") + Math.abs(x).toFixed(digits) : "–";
export const percent = (x) => Number.isFinite(x) ? `${(100 * x).toFixed(x > 0.995 && x < 1 ? 1 : 0)} %` : "–";
export const count = (n) => Number.isFinite(n) ? n.toLocaleString("en").replaceAll(",", " ") : "–";
export const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

export function bytes(n) {
  if (!Number.isFinite(n)) return "–";
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (n < 1000 || unit === "GB") return `${n < 10 && unit !== "B" ? n.toFixed(1) : Math.round(n)} ${unit}`;
    n /= 1000;
  }
}

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.round(seconds % 86400 / 3600)} h`;
}

// Blue for true, orange for false, grey between: told apart by all common kinds of colour vision, and the number is
// always beside it.
export function truthColour(truth) {
  const certainty = Math.round(100 * Math.min(1, Math.abs(truth - 0.5) * 2));

  return `color-mix(in oklab, var(--${truth >= 0.5 ? "true" : "false"}) ${certainty}%, var(--middle))`;
}
// Whether text on that colour needs the opposite of ink.
export const isStrong = (truth) => Math.abs(truth - 0.5) > 0.22;

// The connectives as mathematics writes them.
export const symbols = {and: "∧", or: "∨", not: "¬", xor: "⊕", implies: "→", iff: "↔", true: "T", false: "F"};
