import type { Fetcher, FetcherParams } from "@graphiql/toolkit";
import { Kind, parse } from "graphql";

/** Asks the graph, which answers at the page's own address. What is no JSON is shown as the text it is. */
export const ask: Fetcher = async (operation, { headers } = {}) => {
  const response = await fetch(location.pathname, {
    method: "POST",
    headers: {
      Accept: "application/graphql-response+json, application/json",
      "Content-Type": "application/json",
      ...headers,
    },
    body: JSON.stringify(withNameIfNeeded(operation)),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { errors: [{ message: `${response.status} ${response.statusText}: ${text}` }] };
  }
};

/** The server's example documents, one for each tab of a first visit. */
export async function examples(): Promise<string[]> {
  const response = await fetch("explorer/examples.json");
  return response.ok ? response.json() : [];
}

/**
 * GraphiQL learns a moment late that another tab has another operation, and would ask for the old one by name.
 * A document with one operation needs no name.
 */
function withNameIfNeeded(operation: FetcherParams): Partial<FetcherParams> {
  const { operationName, ...unnamed } = operation;
  return countOperations(operation.query) === 1 ? unnamed : operation;
}

function countOperations(query: string): number {
  try {
    return parse(query).definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  } catch {
    return 0; // the server says what is wrong with it
  }
}
