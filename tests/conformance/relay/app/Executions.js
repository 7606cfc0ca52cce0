import { graphql } from 'relay-runtime';

export const query = graphql`
  query ExecutionsQuery($filter: ExecutionFilter) {
    ...Executions_page @arguments(filter: $filter)
  }
`;

export const page = graphql`
  fragment Executions_page on Query
  @argumentDefinitions(
    filter: { type: "ExecutionFilter" }
    count: { type: "Int", defaultValue: 7 }
    cursor: { type: "String" }
  )
  @refetchable(queryName: "ExecutionsPageQuery") {
    executions(filter: $filter, first: $count, after: $cursor)
      @connection(key: "Executions_executions", filters: ["filter"]) {
      edges {
        node {
          id
          status
          triggeredBy
        }
      }
    }
  }
`;
