// Rows are shaped once; every field below them is a plain property, which each of the servers reads fastest.
import { readFileSync } from 'node:fs';
import * as database from './database.js';

export const typeDefs = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

export const context = () => database.loaders();

export const nodeType = (value) => value.__typename;

export const resolvers = {
  Query: {
    async node(_, { id }, loaders) {
      const [type, ...key] = opened(id);
      const row = type === 'Execution' ? await loaders.executions.load(key) : null;
      return row && execution(row);
    },
    async execution(_, { executionId }) {
      const row = await database.execution(executionId);
      return row ? execution(row) : null;
    },
    executions: async (_, { first }) =>
      connection(await database.newestExecutions(first), first, execution, executionCursor),
  },
  Execution: {
    pipelineExecutions: async ({ executionId }, { first }, loaders) =>
      connection(await loaders.steps.load(executionId), first, step, stepCursor),
  },
  PipelineExecution: {
    outputFiles: async ({ pipelineExecutionId }, { first }, loaders) =>
      connection(await loaders.outputFiles.load([pipelineExecutionId, first]), first, outputFile, fileCursor),
    registeredLogs: ({ pipelineExecutionId, logs }, { first }) =>
      connection(logs, first, (log) => registeredLog(log, pipelineExecutionId), logCursor),
  },
};

const opaque = (...parts) => Buffer.from(parts.join('\n')).toString('base64url');
const opened = (id) => Buffer.from(id, 'base64url').toString().split('\n');

const executionCursor = (row) => opaque(row.executionStartDate, row.workflowExecutionId);
const stepCursor = (row) => opaque(row['pipelineDatabaseId:pipelineId'], row.pipelineExecutionId);
const fileCursor = (row) => opaque(row['fileType:relativeFilePath']);
const logCursor = (log) => opaque(log.logGroupName, log.logStreamName);

function connection(rows, first, shaped, cursor) {
  const edges = rows.slice(0, first).map((row) => ({ node: shaped(row), cursor: cursor(row) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: rows.length > first,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

const TRIGGERS = { Manual: 'MANUAL', 'File-Upload': 'FILE_UPLOAD', 'System-Reindex': 'SYSTEM_REINDEX' };
const EXECUTION_TYPES = { Lambda: 'LAMBDA', SQS: 'SQS', EventBridge: 'EVENT_BRIDGE', DeadlineCloud: 'DEADLINE_CLOUD' };
const FILE_TYPES = { file: 'FILE', preview: 'PREVIEW' };
const SOURCE_TYPES = {
  stateMachine: 'STATE_MACHINE',
  lambda: 'LAMBDA',
  batch: 'BATCH',
  ecs: 'ECS',
  container: 'CONTAINER',
  deadlineCloud: 'DEADLINE_CLOUD',
};

const instant = (text) => (text ? new Date(text).toISOString() : null);

const execution = (row) => ({
  __typename: 'Execution',
  id: opaque('Execution', row.workflowExecutionId, row['workflowDatabaseId:workflowId']),
  executionId: row.workflowExecutionId,
  workflowId: row.workflowId,
  workflowDatabaseId: row.workflowDatabaseId,
  status: row.executionStatus,
  triggerType: TRIGGERS[row.triggerType] ?? 'UNKNOWN',
  triggeredBy: row.triggeredByUserId,
  groupId: row.executionGroupId || null,
  startedAt: instant(row.executionStartDate),
  stoppedAt: instant(row.executionStopDate),
});

const step = (row) => ({
  id: opaque('PipelineExecution', row.pipelineExecutionId, row.workflowExecutionId),
  pipelineExecutionId: row.pipelineExecutionId,
  pipelineId: row.pipelineId,
  pipelineDatabaseId: row.pipelineDatabaseId,
  status: row.executionStatus,
  executionType: EXECUTION_TYPES[row.pipelineExecutionType] ?? 'UNKNOWN',
  isEndState: row.endStatePipeline === 'true',
  startedAt: instant(row.executionStartDate),
  stoppedAt: instant(row.executionStopDate),
  logs: row.registeredLogs,
});

const outputFile = (row) => ({
  id: opaque('OutputFile', row.pipelineExecutionId, row['fileType:relativeFilePath']),
  fileType: FILE_TYPES[row.fileType] ?? 'UNKNOWN',
  relativePath: row.relativeFilePath,
  size: row.fileSize,
  contentType: row.contentType || null,
  location: { bucket: row.s3Bucket, key: row.s3Key, versionId: row.s3VersionId || null },
});

const registeredLog = (log, stepId) => ({
  id: opaque('RegisteredLog', stepId, log.logGroupName, log.logStreamName),
  label: log.label,
  sourceType: SOURCE_TYPES[log.sourceType] ?? 'CUSTOM',
  stageName: log.stageName || null,
  logGroupName: log.logGroupName,
  logStreamName: log.logStreamName || null,
  logStreamPrefix: log.logStreamPrefix || null,
});
