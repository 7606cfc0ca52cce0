import { graphql } from 'relay-runtime';

export const query = graphql`
  query AssetHistoryQuery($databaseId: String!, $assetId: String!) {
    asset(databaseId: $databaseId, assetId: $assetId) {
      name
      ...AssetHistory_page
    }
  }
`;

// The asset is fetched again by its global id, so its further pages go through `node`.
export const page = graphql`
  fragment AssetHistory_page on Asset
  @argumentDefinitions(count: { type: "Int", defaultValue: 5 }, cursor: { type: "String" })
  @refetchable(queryName: "AssetHistoryPageQuery") {
    executions(first: $count, after: $cursor) @connection(key: "AssetHistory_executions") {
      edges {
        roles
        node {
          id
          status
        }
      }
    }
  }
`;
