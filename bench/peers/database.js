// The tables of VAMS, read as the AWS SDK and dataloader suggest.
import { Agent } from 'node:http';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import DataLoader from 'dataloader';

const EXECUTIONS = 'WorkflowExecutionsStorageTableV2';
const STEPS = 'PipelineExecutionsStorageTable';
const OUTPUT_FILES = 'PipelineExecutionOutputFilesStorageTable';

const client = DynamoDBDocumentClient.from(
  new DynamoDBClient({
    endpoint: process.env.DYNAMODB_ENDPOINT,
    requestHandler: new NodeHttpHandler({ httpAgent: new Agent({ keepAlive: true, maxSockets: 256 }) }),
  }),
);

async function partition(table, index, attribute, value, options = {}) {
  const answer = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: index,
      KeyConditionExpression: '#partition = :partition',
      ExpressionAttributeNames: { '#partition': attribute },
      ExpressionAttributeValues: { ':partition': value },
      ...options,
    }),
  );
  return answer.Items;
}

export async function execution(executionId) {
  const [row] = await partition(EXECUTIONS, undefined, 'workflowExecutionId', executionId, { Limit: 1 });
  return row;
}

// One row more than asked for tells whether there is a next page.
export const newestExecutions = (first) =>
  partition(EXECUTIONS, 'WorkflowExecutionsByDateGSI', 'allListPartition', 'execution', {
    ScanIndexForward: false,
    Limit: first + 1,
  });

// A fresh set for each request.
export const loaders = () => ({
  executions: new DataLoader(executionsByKey, { maxBatchSize: 100, cacheKeyFn: String }),
  steps: new DataLoader((executionIds) => Promise.all(executionIds.map(stepsInOrder))),
  outputFiles: new DataLoader((pages) => Promise.all(pages.map(outputFiles)), { cacheKeyFn: String }),
});

async function executionsByKey(keys) {
  const Keys = keys.map(([id, workflow]) => ({ workflowExecutionId: id, 'workflowDatabaseId:workflowId': workflow }));
  const answer = await client.send(new BatchGetCommand({ RequestItems: { [EXECUTIONS]: { Keys } } }));
  const rows = new Map(answer.Responses[EXECUTIONS].map((row) => [row.workflowExecutionId, row]));
  return keys.map(([id]) => rows.get(id) ?? null);
}

async function stepsInOrder(executionId) {
  const rows = await partition(STEPS, 'PipelineExecByWorkflowExecGSI', 'workflowExecutionId', executionId);
  const following = new Map(rows.map((row) => [row.from_pipeline_execution_id, row]));
  const chain = [];
  for (let row = following.get(undefined); row; row = following.get(row.pipelineExecutionId)) chain.push(row);
  return chain;
}

const outputFiles = ([stepId, first]) =>
  partition(OUTPUT_FILES, undefined, 'pipelineExecutionId', stepId, { Limit: first + 1 });
