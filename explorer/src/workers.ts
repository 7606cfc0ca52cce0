// Monaco's workers, bundled: they load from the origin, as the Content-Security-Policy demands.

import EditorWorker from "monaco-editor/esm/vs/editor/editor.worker.js?worker";
import JsonWorker from "monaco-editor/esm/vs/language/json/json.worker.js?worker";
import GraphQLWorker from "monaco-graphql/esm/graphql.worker.js?worker";

const workers: Record<string, new () => Worker> = { graphql: GraphQLWorker, json: JsonWorker };

self.MonacoEnvironment = {
  getWorker: (_id, language) => new (workers[language] ?? EditorWorker)(),
};
