import type { Fetcher } from "@graphiql/toolkit";

/** Asks the graph, which answers at the page's own address. What is no JSON is shown as the text it is. */
export const ask: Fetcher = async (operation, { headers } = {}) => {
  const response = await fetch(location.pathname, {
    method: "POST",
    headers: {
      Accept: "application/graphql-response+json, application/json",
      "Content-Type": "application/json",
      ...headers,
    },
    body: JSON.stringify(operation),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${response.status} ${response.statusText}: ${text}`);
  }
};

/** The server's example documents, one for each tab of a first visit. */
export async function examples(): Promise<string[]> {
  const response = await fetch("explorer/examples.json");
  return response.ok ? response.json() : [];
}
