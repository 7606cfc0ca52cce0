// Asks the same three times by automatic persisted queries: with the links of Apollo Client and of urql, by POST and by GET.
// Takes the graph's URL; prints, for each, what was sent (the method, and whether the document was) and the answers.
import { createHash } from 'node:crypto';

import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';

const [url] = process.argv.slice(2);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** A fetch that keeps what it sends. */
function recorded() {
  const sent = [];
  const fetching = (address, options) => {
    const method = options.method ?? 'GET';
    const { query } = method === 'GET' ? Object.fromEntries(new URL(address).searchParams) : JSON.parse(options.body);
    sent.push(query ? `${method} document` : `${method} hash`);
    return fetch(address, options);
  };
  return { sent, fetching };
}

async function apollo(name, useGETForHashedQueries) {
  const { sent, fetching } = recorded();
  const link = ApolloLink.from([
    new PersistedQueryLink({ sha256, useGETForHashedQueries }),
    new HttpLink({ uri: url, fetch: fetching }),
  ]);
  const client = new ApolloClient({ cache: new InMemoryCache(), link });
  const query = gql(`query ${name} { viewer { userId } }`);
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push((await client.query({ query, fetchPolicy: 'no-cache' })).data.viewer.userId);
  client.stop();
  return { sent, answers };
}

async function urql(name, preferGetForPersistedQueries) {
  const { sent, fetching } = recorded();
  const persisted = persistedExchange({ preferGetForPersistedQueries, generateHash: async (text) => sha256(text) });
  const client = new Client({ url, exchanges: [persisted, fetchExchange], fetch: fetching, preferGetMethod: false });
  const answers = [];
  for (let i = 0; i < 3; i++) {
    const { data, error } = await client.query(`query ${name} { viewer { userId } }`, {}).toPromise();
    if (error) throw error;
    answers.push(data.viewer.userId);
  }
  return { sent, answers };
}

console.log(
  JSON.stringify({
    'apollo by POST': await apollo('ApolloByPost', false),
    'apollo by GET': await apollo('ApolloByGet', true),
    'urql by POST': await urql('UrqlByPost', false),
    'urql by GET': await urql('UrqlByGet', true),
  }),
);
