// What Apollo Client and urql ask: a page of all executions, and a page of those that touched an asset.
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`documents/${name}.graphql`, import.meta.url), 'utf8');

export const EXECUTIONS = read('executions');
export const HISTORY = read('history');
