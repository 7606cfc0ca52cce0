import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { context, nodeType, resolvers, typeDefs } from './resolvers.js';

const server = new ApolloServer({ typeDefs, resolvers: { Node: { __resolveType: nodeType }, ...resolvers } });
await startStandaloneServer(server, {
  context: async () => context(),
  listen: { port: Number(process.env.PORT), host: '127.0.0.1' },
});
