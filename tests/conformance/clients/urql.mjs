// Pages to the end with urql, its normalised cache joining the pages by relayPagination.
// Takes the graph's URL and the names of an asset; prints the ids that the cache then holds, in order.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

import { EXECUTIONS, HISTORY } from './documents.mjs';

const [url, asset] = process.argv.slice(2);

const cache = cacheExchange({
  resolvers: { Query: { executions: relayPagination() }, Asset: { executions: relayPagination() } },
});
const client = new Client({ url, exchanges: [cache, fetchExchange], preferGetMethod: false });

async function walk(document, variables, connection) {
  for (let after = null; ; ) {
    const { data, error } = await client.query(document, { ...variables, after });
    if (error) throw error;
    const { edges, pageInfo } = connection(data);
    if (!pageInfo.hasNextPage) return edges.map(({ node }) => node.id);
    after = pageInfo.endCursor;
  }
}

const executions = await walk(EXECUTIONS, {}, (data) => data.executions);
const history = await walk(HISTORY, JSON.parse(asset), (data) => data.asset.executions);
console.log(JSON.stringify({ executions, history }));
