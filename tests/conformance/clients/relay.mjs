// Pages to the end with Relay's runtime and what its compiler made of ../relay/app, as usePaginationFragment does.
// Takes the graph's URL and the names of an asset; with a further argument, it sends ids in place of documents. Prints the ids
// that the store then holds, in order.
import { createRequire } from 'node:module';

import relay from 'relay-runtime';

const [url, asset, trusted] = process.argv.slice(2);
const compiled = createRequire(new URL('../build/relay/', import.meta.url));
const manifest = compiled('./manifest.json');

async function send({ id, name }, variables) {
  const document = trusted ? { documentId: id } : { query: manifest[id] };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...document, operationName: name, variables }),
  });
  const answer = await response.json();
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer;
}

async function walk(name, variables) {
  const store = new relay.Store(new relay.RecordSource());
  const environment = new relay.Environment({ network: relay.Network.create(send), store });
  const page = compiled(`./${name}_page.graphql`);
  const { paginationRequest, paginationMetadata, identifierField } = relay.getPaginationMetadata(page, name);

  const first = relay.createOperationDescriptor(compiled(`./${name}Query.graphql`), variables);
  await relay.fetchQuery(environment, first.request.node, variables).toPromise();
  for (;;) {
    const { data } = environment.lookup(first.fragment);
    const parent = environment.lookup(relay.getSingularSelector(page, data.asset ?? data)).data;
    const { edges, pageInfo } = parent.executions;
    if (!pageInfo.hasNextPage) return edges.map(({ node }) => node.id);
    const again = identifierField ? { [identifierField]: parent[identifierField] } : variables;
    const next = relay.getPaginationVariables('forward', 7, pageInfo.endCursor, again, {}, paginationMetadata);
    await relay.fetchQuery(environment, paginationRequest, next).toPromise();
  }
}

const executions = await walk('Executions', {});
const history = await walk('AssetHistory', JSON.parse(asset));
console.log(JSON.stringify({ executions, history }));
