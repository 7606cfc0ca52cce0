import type { Storage } from "@graphiql/toolkit";

const OURS = "graphiql:";
const HISTORY = [`${OURS}queries`, `${OURS}favorites`];

/** The browser's storage, but for headers: they carry credentials, and GraphiQL would keep them in its history. */
export const storage: Storage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, HISTORY.includes(key) ? withoutHeaders(value) : value),
  removeItem: (key) => localStorage.removeItem(key),
  clear: () => keys().forEach((key) => localStorage.removeItem(key)),
  get length() {
    return keys().length;
  },
};

function keys(): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(OURS));
}

function withoutHeaders(history: string): string {
  return JSON.stringify(JSON.parse(history), (name, value) => (name === "headers" ? undefined : value));
}
