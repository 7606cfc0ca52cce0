import { createServer } from 'node:http';
import { createSchema, createYoga } from 'graphql-yoga';
import { context, nodeType, resolvers, typeDefs } from './resolvers.js';

const schema = createSchema({ typeDefs, resolvers: { Node: { __resolveType: nodeType }, ...resolvers } });
const yoga = createYoga({ schema, context, logging: false, graphiql: false, landingPage: false });
createServer(yoga).listen(Number(process.env.PORT), '127.0.0.1');
