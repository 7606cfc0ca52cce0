// Pages to the end with Apollo Client, its cache joining the pages by relayStylePagination.
// Takes the graph's URL and the names of an asset; with the manifest that the graph trusts, it sends ids in place of documents.
// Prints the ids that the cache then holds, in order.
import { readFileSync } from 'node:fs';

import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { generatePersistedQueryIdsFromManifest } from '@apollo/persisted-query-lists';

import { EXECUTIONS, HISTORY } from './documents.mjs';

const [url, asset, trusted] = process.argv.slice(2);

const cache = new InMemoryCache({
  typePolicies: {
    Query: { fields: { executions: relayStylePagination(['filter']) } },
    Asset: { fields: { executions: relayStylePagination(['role', 'filter']) } },
  },
});
/** Sends the ids of a manifest. */
function persisted(path) {
  const loadManifest = () => JSON.parse(readFileSync(path, 'utf8'));
  return new PersistedQueryLink(generatePersistedQueryIdsFromManifest({ loadManifest }));
}
const http = new HttpLink({ uri: url });
const client = new ApolloClient({ cache, link: trusted ? persisted(trusted).concat(http) : http });

async function walk(document, variables, connection) {
  const query = gql(document);
  await client.query({ query, variables });
  const watched = client.watchQuery({ query, variables });
  watched.subscribe(() => {});
  for (;;) {
    const { edges, pageInfo } = connection(client.readQuery({ query, variables }));
    if (!pageInfo.hasNextPage) return edges.map(({ node }) => node.id);
    await watched.fetchMore({ variables: { after: pageInfo.endCursor } });
  }
}

const executions = await walk(EXECUTIONS, {}, (data) => data.executions);
const history = await walk(HISTORY, JSON.parse(asset), (data) => data.asset.executions);
console.log(JSON.stringify({ executions, history }));
client.stop();
