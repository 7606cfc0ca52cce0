// Composes supergraphs as Apollo, Hive and WunderGraph do. Takes {supergraph: [{name, sdl}]} as JSON on standard input; prints,
// for each, what they have to say against it, hints included, and the schema that clients of Apollo's see.
import { text } from 'node:stream/consumers';

import { composeServices as composeAsApollo } from '@apollo/composition';
import { composeServices as composeAsHive } from '@theguild/federation-composition';
import { federateSubgraphs as composeAsWunderGraph } from '@wundergraph/composition';
import { parse, printSchema } from 'graphql';

const messages = (...complaints) => complaints.flatMap((some = []) => some.map(({ message }) => message));

function compose(given) {
  const subgraphs = given.map(({ name, sdl }) => ({ name, url: `http://${name}.invalid`, typeDefs: parse(sdl) }));
  const apollo = composeAsApollo(subgraphs);
  const hive = composeAsHive(subgraphs);
  const wundergraph = composeAsWunderGraph({
    subgraphs: subgraphs.map(({ typeDefs, ...subgraph }) => ({ ...subgraph, definitions: typeDefs })),
    options: {},
  });
  return {
    complaints: {
      apollo: messages(apollo.errors, apollo.hints),
      hive: messages(hive.errors),
      wundergraph: messages(wundergraph.errors, wundergraph.warnings),
    },
    api: apollo.schema ? printSchema(apollo.schema.toAPISchema().toGraphQLJSSchema()) : '',
  };
}

const supergraphs = Object.entries(JSON.parse(await text(process.stdin)));
console.log(JSON.stringify(Object.fromEntries(supergraphs.map(([name, subgraphs]) => [name, compose(subgraphs)]))));
