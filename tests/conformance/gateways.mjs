// Serves the supergraph of the graph and its neighbour through Apollo's and through Hive's gateway, until standard input ends.
// Takes, as its first line, {url, sdl, secret, tickets}; prints the addresses of both gateways.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline/promises';

import { composeServices as composeAsApollo } from '@apollo/composition';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { composeServices as composeAsHive } from '@theguild/federation-composition';
import { parse } from 'graphql';

import * as neighbour from './neighbour.mjs';

const listen = { port: 0, host: '127.0.0.1' };
const lines = createInterface({ input: process.stdin });
const { value } = await lines[Symbol.asyncIterator]().next();
const { url, sdl, secret, tickets } = JSON.parse(value);

const subgraphs = [
  { name: 'vams', url, typeDefs: parse(sdl) },
  { name: 'neighbour', url: await neighbour.listen(tickets), typeDefs: parse(neighbour.sdl) },
];

/** What a gateway sends on: who asks, to each subgraph; the gateway's own secret, to the graph alone. */
const headers = (subgraph, authorization) => ({
  ...(authorization && { authorization }),
  ...(subgraph === 'vams' && { 'x-vams-federation-secret': secret }),
});

async function apollo() {
  const gateway = new ApolloGateway({
    supergraphSdl: composeAsApollo(subgraphs).supergraphSdl,
    buildService: ({ name, url }) =>
      new RemoteGraphQLDataSource({
        url,
        willSendRequest({ request, context }) {
          for (const [header, value] of Object.entries(headers(name, context.authorization))) {
            request.http.headers.set(header, value);
          }
        },
      }),
  });
  const context = async ({ req }) => ({ authorization: req.headers.authorization });
  return (await startStandaloneServer(new ApolloServer({ gateway }), { listen, context })).url;
}

// When it first asks a subgraph, this gateway loads @graphql-mesh/transport-http.
async function hive() {
  const gateway = createGatewayRuntime({
    supergraph: composeAsHive(subgraphs).supergraphSdl,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request, subgraphName }) => headers(subgraphName, request.headers.get('authorization')),
    },
  });
  const server = createServer(gateway);
  await new Promise((resolve) => server.listen(listen, resolve));
  return `http://127.0.0.1:${server.address().port}/graphql`;
}

console.log(JSON.stringify({ apollo: await apollo(), hive: await hive() }));
lines.on('close', () => process.exit());
