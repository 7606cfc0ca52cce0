// The second subgraph, running: its definitions, and what it answers.
import { readFileSync } from 'node:fs';

import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';

export const sdl = readFileSync(new URL('neighbour.graphql', import.meta.url), 'utf8');

/** Listens on a loopback port, and answers of the given tickets; its address. */
export async function listen(tickets) {
  const resolvers = {
    Query: {
      ticket: (_query, { number }) => tickets.find((ticket) => ticket.number === number),
      tickets: () => tickets,
      viewer: (_query, _arguments, { authorization }) => ({ displayName: `Whoever has the key ${authorization}` }),
    },
    Ticket: {
      execution: ({ executionId }) => executionId && { executionId },
      step: ({ stepId }) => stepId && { pipelineExecutionId: stepId },
    },
    Execution: {
      tickets: ({ executionId }) => tickets.filter((ticket) => ticket.executionId === executionId),
    },
    Asset: {
      thumbnailUrl: ({ databaseId, assetId }) => `https://thumbnails.example/${databaseId}/${assetId}.png`,
    },
    Workflow: {
      owner: ({ workflowId }) => `The owner of ${workflowId}`,
    },
  };
  const server = new ApolloServer({
    schema: buildSubgraphSchema({ typeDefs: parse(sdl), resolvers }),
    plugins: [ApolloServerPluginInlineTraceDisabled()],
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => ({ authorization: req.headers.authorization }),
  });
  return url;
}
