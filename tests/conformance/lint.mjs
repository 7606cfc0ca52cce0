// Lints the API schema on standard input, a JSON string: by the rules of Relay, and by those recommended for schemas.
// Prints a JSON list of what it finds.
import { text } from 'node:stream/consumers';

import graphql from '@graphql-eslint/eslint-plugin';
import { ESLint } from 'eslint';

const schema = JSON.parse(await text(process.stdin));
const { 'schema-relay': relay, 'schema-recommended': recommended } = graphql.configs;

const rules = {
  ...relay.rules,
  ...recommended.rules,

  // Not every row is a Node: log lines, events, visits and mere references are read below their owner only, and have no id to
  // fetch them by. And a list need not be pages: what one row holds, such as tags, comes whole, and every connection offers
  // its nodes without edges. Relay's specification asks for neither.
  '@graphql-eslint/relay-edge-types': ['error', { shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],

  // What a service lists with tokens is read forwards alone, as Relay's specification allows.
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],

  // Keys keep the names that they have in VAMS wherever they occur: Execution.executionId beside the global id.
  '@graphql-eslint/no-typename-prefix': 'off',

  // Values have no identity: a page's info, an edge, a location. The rule wants an id in each of them.
  '@graphql-eslint/strict-id-in-types': 'off',
};

const eslint = new ESLint({
  overrideConfigFile: true,
  overrideConfig: {
    files: ['**/*.graphql'],
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema } } },
    plugins: { '@graphql-eslint': graphql },
    rules,
  },
});
const [{ messages }] = await eslint.lintText(schema, { filePath: 'schema.graphql' });
console.log(JSON.stringify(messages.map(({ ruleId, line, message }) => ({ rule: ruleId, line, message }))));
