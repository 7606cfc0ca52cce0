import Fastify from 'fastify';
import mercurius from 'mercurius';
import { context, nodeType, resolvers, typeDefs } from './resolvers.js';

const app = Fastify();
app.register(mercurius, {
  schema: typeDefs,
  resolvers: { Node: { resolveType: nodeType }, ...resolvers },
  context,
  jit: 1, // compiles a document with graphql-jit when it comes for the second time
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
